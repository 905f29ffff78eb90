// A forked child that creates threads of its own: they work, but are not explored, and that is said.
// heddle: run
// expect: clean complete
// says: a child process that the program forked creates threads, at threads_in_child.c:26: these are not controlled
// isolation: fork
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counted;

static void* count(void* unused) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    ++counted;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void run_threads(int count_of_threads) {
  pthread_t threads[8];
  for (int i = 0; i < count_of_threads; ++i) assert(pthread_create(&threads[i], NULL, count, NULL) == 0);
  for (int i = 0; i < count_of_threads; ++i) assert(pthread_join(threads[i], NULL) == 0);
}

int main(void) {
  run_threads(1);
  const pid_t child = fork();
  if (child == 0) {
    run_threads(8);
    _exit(counted);
  }
  int status = 0;
  assert(waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 18);
  return 0;
}
