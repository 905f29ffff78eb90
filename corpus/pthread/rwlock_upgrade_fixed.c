// A reader gives up the read lock before it asks for the write lock, and looks again.
// heddle: run
// expect: clean bound 2
// twin: rwlock_upgrade.c
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached, computed;

static void* look(void* unused) {
  pthread_rwlock_rdlock(&lock);
  if (!cached) {
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    if (!cached) ++computed;
    cached = 1;
  }
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, look, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(computed == 1);
  return 0;
}
