// W4: a bounded queue of capacity one with a mutex and two condition variables; two producers and two consumers, two
// items each.
#include <pthread.h>
#include <stddef.h>

enum { WORKERS = 2, ITEMS = 2 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void* produce(void* unused) {
  for (int i = 0; i < ITEMS; ++i) {
    pthread_mutex_lock(&mutex);
    while (items == 1) pthread_cond_wait(&emptied, &mutex);
    ++items;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void* consume(void* unused) {
  for (int i = 0; i < ITEMS; ++i) {
    pthread_mutex_lock(&mutex);
    while (items == 0) pthread_cond_wait(&filled, &mutex);
    --items;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2 * WORKERS];
  for (int i = 0; i < WORKERS; ++i) pthread_create(&threads[i], NULL, produce, NULL);
  for (int i = WORKERS; i < 2 * WORKERS; ++i) pthread_create(&threads[i], NULL, consume, NULL);
  for (int i = 0; i < 2 * WORKERS; ++i) pthread_join(threads[i], NULL);
  return items;
}
