// A barrier that waits for one more than there are.
// heddle: run
// expect: bug deadlock at bound 0
// says: without any preemption
// twin: barrier.c
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WORKERS = 2 };
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int arrived, serial;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  ++arrived;
  pthread_mutex_unlock(&mutex);
  const int result = pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&mutex);
  assert(arrived == WORKERS);
  serial += result == PTHREAD_BARRIER_SERIAL_THREAD;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[WORKERS];
  pthread_barrier_init(&barrier, NULL, WORKERS + 1);
  for (int i = 0; i < WORKERS; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < WORKERS; ++i) pthread_join(threads[i], NULL);
  assert(serial == 1);
  pthread_barrier_destroy(&barrier);
  return 0;
}
