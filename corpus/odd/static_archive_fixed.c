// As static_archive, with one order for both.
// archive: odd/library/static_lock.c
// heddle: run
// expect: clean complete
// twin: static_archive.c
#include <pthread.h>
#include <stddef.h>

#include "odd/library/static_lock.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* mutex_first(void* unused) {
  pthread_mutex_lock(&mutex);
  static_lock();
  static_unlock();
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* mutex_last(void* unused) {
  pthread_mutex_lock(&mutex);
  static_lock();
  pthread_mutex_unlock(&mutex);
  static_unlock();
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, mutex_first, NULL);
  pthread_create(&second, NULL, mutex_last, NULL);
  pthread_join(first, NULL);
  return pthread_join(second, NULL);
}
