// One variable, two threads, one lock, held by each from its read to its write.
// heddle: run
// expect: clean complete
// twin: lock_each.c
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static volatile int count;

static void* add(void* lock) {
  pthread_mutex_lock(lock);
  const int seen = count;
  count = seen + 1;
  pthread_mutex_unlock(lock);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, add, &first);
  pthread_create(&threads[1], NULL, add, &first);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  assert(count == 2);
  return 0;
}
