// malloc() takes a mutex; the count is read and written in one section.
// heddle: run
// expect: clean complete
// twin: malloc_with_mutex.c
#include "odd/malloc_with_mutex.h"

static void* increment(void* unused) {
  int* volatile seen = malloc(sizeof *seen);
  pthread_mutex_lock(&count_mutex);
  *seen = count;
  count = *seen + 1;
  pthread_mutex_unlock(&count_mutex);
  return unused;
}
