// Spin locks: two threads count; trylock answers busy.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static int count;

static void* work(void* unused) {
  assert(pthread_spin_lock(&lock) == 0);
  assert(pthread_spin_trylock(&lock) == EBUSY);
  ++count;
  assert(pthread_spin_unlock(&lock) == 0);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(count == 2);
  assert(pthread_spin_destroy(&lock) == 0);
  return 0;
}
