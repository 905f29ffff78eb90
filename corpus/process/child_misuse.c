// A child that main() forks unlocks a mutex that nobody holds. The parent waits for its child.
// heddle: run
// expect: bug assertion at bound 0
// says: a child process that the program forked did what pthreads does not allow, at child_misuse.c
// isolation: fork
// twin: child_uses_mutex.c
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) { return unused; }

static int misuse(void) { return pthread_mutex_unlock(&mutex); }

int main(void) {
  pthread_t thread;
  int status;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  const pid_t child = fork();
  if (child == 0) _exit(misuse());
  waitpid(child, &status, 0);
  assert(!WIFSIGNALED(status));
  return 0;
}
