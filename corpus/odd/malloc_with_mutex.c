// malloc() takes a mutex; the count is read in one section and written in another.
// heddle: run
// expect: bug assertion at bound 1
// twin: malloc_with_mutex_fixed.c
#include "odd/malloc_with_mutex.h"

static void* increment(void* unused) {
  int* volatile seen = malloc(sizeof *seen);
  pthread_mutex_lock(&count_mutex);
  *seen = count;
  pthread_mutex_unlock(&count_mutex);
  pthread_mutex_lock(&count_mutex);
  count = *seen + 1;
  pthread_mutex_unlock(&count_mutex);
  return unused;
}
