// Two readers and a writer who prefers to go first, in any order; the last writer wins.
// heddle: run
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock;
static int value;

static void* read_it(void* unused) {
  pthread_rwlock_rdlock(&lock);
  assert(value == 0 || value == 1);
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void* write_it(void* unused) {
  pthread_rwlock_wrlock(&lock);
  assert(pthread_rwlock_tryrdlock(&lock) != 0);
  value = 1;
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &attributes);
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, read_it, NULL);
  pthread_create(&threads[1], NULL, write_it, NULL);
  pthread_create(&threads[2], NULL, read_it, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert(value == 1);
  pthread_rwlock_destroy(&lock);
  return 0;
}
