// One variable, and each thread protects it by a lock of its own. No lock is ever contended, so by what locks order
// there would be nothing to preempt for: the search must see that it can't rely on that. (It is not instrumented.)
// heddle: run
// expect: bug assertion at bound 1
// says: count == 2
// twin: lock_each_fixed.c
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static volatile int count;

static int get(pthread_mutex_t* lock) {
  pthread_mutex_lock(lock);
  int seen = count;
  pthread_mutex_unlock(lock);
  return seen;
}

static void set(pthread_mutex_t* lock, int value) {
  pthread_mutex_lock(lock);
  count = value;
  pthread_mutex_unlock(lock);
}

static void* add(void* lock) {
  set(lock, get(lock) + 1);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, add, &first);
  pthread_create(&threads[1], NULL, add, &second);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  assert(count == 2);
  return 0;
}
