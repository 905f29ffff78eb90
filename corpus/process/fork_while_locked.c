// The child of a fork needs a lock that another thread holds at that moment: it waits for ever, and its parent for it.
// heddle: run
// expect: bug deadlock at bound 2
// says: a child process that the program forked stands still for ever, at fork_while_locked.c:25 (mutex lock)
// isolation: fork
// twin: fork_while_locked_fixed.c
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* use_lock(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, use_lock, NULL);
  const pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&mutex);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  return status != 0;
}
