// A thread forks a child and waits for it, beside another that goes on. The child has the memory as it was, and its own
// locks work.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: fork
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counted;

static void* fork_one(void* unused) {
  const pid_t child = fork();
  if (child == 0) {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    const int seen = counted;
    pthread_mutex_unlock(&own);
    _exit(seen <= 2 ? 7 + seen : 1);
  }
  int status = 0;
  assert(waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) >= 7 && WEXITSTATUS(status) <= 9);
  return unused;
}

static void* count(void* unused) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    ++counted;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, fork_one, NULL);
  pthread_create(&threads[1], NULL, count, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(counted == 2);
  return 0;
}
