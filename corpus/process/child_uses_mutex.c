// A child that main() forks uses a mutex as it may. The parent waits for its child.
// heddle: run
// expect: clean complete
// isolation: fork
// twin: child_misuse.c
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) { return unused; }

static int use(void) { return pthread_mutex_lock(&mutex) + pthread_mutex_unlock(&mutex); }

int main(void) {
  pthread_t thread;
  int status;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  const pid_t child = fork();
  if (child == 0) _exit(use());
  waitpid(child, &status, 0);
  assert(!WIFSIGNALED(status));
  return 0;
}
