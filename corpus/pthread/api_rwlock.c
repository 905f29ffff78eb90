// What reader-writer locks answer: try, timed and clock variants, deadlock detection by the writer, many readers.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_rwlock_t read_held = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t write_held = PTHREAD_RWLOCK_INITIALIZER;

static void* other_thread(void* unused) {
  struct timespec real, monotonic;
  clock_gettime(CLOCK_REALTIME, &real);
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  assert(pthread_rwlock_tryrdlock(&read_held) == 0);
  assert(pthread_rwlock_unlock(&read_held) == 0);
  assert(pthread_rwlock_trywrlock(&read_held) == EBUSY);
  assert(pthread_rwlock_tryrdlock(&write_held) == EBUSY);
  assert(pthread_rwlock_timedrdlock(&write_held, &real) == ETIMEDOUT);
  assert(pthread_rwlock_timedwrlock(&write_held, &real) == ETIMEDOUT);
  assert(pthread_rwlock_clockrdlock(&write_held, CLOCK_MONOTONIC, &monotonic) == ETIMEDOUT);
  assert(pthread_rwlock_clockwrlock(&read_held, CLOCK_MONOTONIC, &monotonic) == ETIMEDOUT);
  return unused;
}

int main(void) {
  pthread_t thread;
  assert(pthread_rwlock_rdlock(&read_held) == 0);
  assert(pthread_rwlock_rdlock(&read_held) == 0);
  assert(pthread_rwlock_wrlock(&write_held) == 0);
  assert(pthread_rwlock_wrlock(&write_held) == EDEADLK);
  assert(pthread_rwlock_rdlock(&write_held) == EDEADLK);
  pthread_create(&thread, NULL, other_thread, NULL);
  pthread_join(thread, NULL);
  assert(pthread_rwlock_unlock(&read_held) == 0);
  assert(pthread_rwlock_unlock(&read_held) == 0);
  assert(pthread_rwlock_trywrlock(&read_held) == 0);
  assert(pthread_rwlock_unlock(&read_held) == 0);
  assert(pthread_rwlock_unlock(&write_held) == 0);
  assert(pthread_rwlock_destroy(&read_held) == 0);
  return 0;
}
