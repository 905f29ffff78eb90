// A queue of capacity one with one condition variable for both sides: a signal meant for a producer wakes a consumer.
// heddle: run
// expect: bug deadlock at bound 0
// twin: bounded_queue_two_conditions.c
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WORKERS = 2 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void* produce(void* unused) {
  pthread_mutex_lock(&mutex);
  while (items == 1) pthread_cond_wait(&changed, &mutex);
  ++items;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* consume(void* unused) {
  pthread_mutex_lock(&mutex);
  while (items == 0) pthread_cond_wait(&changed, &mutex);
  --items;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[2 * WORKERS];
  for (int i = 0; i < WORKERS; ++i) pthread_create(&threads[i], NULL, consume, NULL);
  for (int i = WORKERS; i < 2 * WORKERS; ++i) pthread_create(&threads[i], NULL, produce, NULL);
  for (int i = 0; i < 2 * WORKERS; ++i) pthread_join(threads[i], NULL);
  assert(items == 0);
  return 0;
}
