// The ceiling of a mutex is what was set, also while Heddle's mark lies where glibc keeps it.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex, plain = PTHREAD_MUTEX_INITIALIZER;

static void* check(void* unused) {
  int ceiling = -1, old = -1;
  assert(pthread_mutex_getprioceiling(&mutex, &ceiling) == 0 && ceiling == 7);
  assert(pthread_mutex_getprioceiling(&plain, &ceiling) == EINVAL);
  assert(pthread_mutex_setprioceiling(&plain, 5, &old) == EINVAL);
  assert(pthread_mutex_setprioceiling(&mutex, 0, &old) == EINVAL);
  assert(pthread_mutex_setprioceiling(&mutex, 1000, &old) == EINVAL);
  return unused;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_t thread;
  pthread_mutexattr_init(&attributes);
  assert(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT) == 0);
  assert(pthread_mutexattr_setprioceiling(&attributes, 7) == 0);
  assert(pthread_mutex_init(&mutex, &attributes) == 0);
  check(NULL);
  pthread_create(&thread, NULL, check, NULL);
  pthread_join(thread, NULL);
  int ceiling = -1;
  assert(pthread_mutex_setprioceiling(&mutex, 9, &ceiling) == 0 && ceiling == 7);
  assert(pthread_mutex_getprioceiling(&mutex, &ceiling) == 0 && ceiling == 9);
  assert(pthread_mutex_destroy(&mutex) == 0);
  return 0;
}
