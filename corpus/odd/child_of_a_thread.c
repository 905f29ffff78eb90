// A child that a thread forks has one thread, whose number is the process's, whatever the forking one's was.
// heddle: run
// expect: clean complete
// isolation: auto fork
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_known_as_itself(void) {
  return gettid() == getpid() && syscall(SYS_gettid) == getpid() && syscall(SYS_tgkill, getpid(), gettid(), 0) == 0 &&
         kill(gettid(), 0) == 0;
}

static void* worker(void* unused) {
  int status;
  assert(gettid() != getpid());
  const pid_t child = fork();
  if (child == 0) _exit(is_known_as_itself() ? 0 : 1);
  assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
}
