// A barrier: nobody goes on before all are there, and one of them is told so.
// heddle: run
// expect: clean bound 2
// twin: barrier_wrong_count.c
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
  pthread_barrier_init(&barrier, NULL, WORKERS);
  for (int i = 0; i < WORKERS; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < WORKERS; ++i) pthread_join(threads[i], NULL);
  assert(serial == 1);
  pthread_barrier_destroy(&barrier);
  return 0;
}
