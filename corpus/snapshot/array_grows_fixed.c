// A thread takes the number of an element in an array and writes to it later, both under the lock; another makes the
// array grow in between.
// heddle: run
// expect: clean complete
// twin: array_grows.c
#include <assert.h>
#include <stdlib.h>

#include "snapshot/two_threads.h"

enum { kElements = 4000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *elements, count;

static void* add(void* unused) {
  pthread_mutex_lock(&lock);
  const int number = count++;
  pthread_mutex_unlock(&lock);
  point();
  pthread_mutex_lock(&lock);
  elements[number] = 7;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* grow(void* unused) {
  pthread_mutex_lock(&lock);
  elements = realloc(elements, sizeof *elements * kElements * 16);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  elements = calloc(kElements, sizeof *elements);
  run_two(add, grow);
  assert(elements[0] == 7);
  free(elements);
  return 0;
}
