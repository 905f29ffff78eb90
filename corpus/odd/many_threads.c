// Forty threads and a lock: wide, and simple. The bound keeps the search small.
// heddle: run --max-preemptions=0 --max-schedules=200
// expect: no bug
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { THREADS = 40 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  ++count;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  assert(count == THREADS);
  return 0;
}
