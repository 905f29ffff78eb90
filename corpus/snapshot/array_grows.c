// A thread takes the place of an element in an array under the lock and writes to it later; another makes the array
// grow in between. Large blocks have room behind them, and realloc() is to move them all the same.
// heddle: run
// expect: bug assertion at bound 1
// twin: array_grows_fixed.c
#include <assert.h>
#include <stdlib.h>

#include "snapshot/two_threads.h"

enum { kElements = 4000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *elements, count;

static void* add(void* unused) {
  pthread_mutex_lock(&lock);
  int* place = &elements[count++];
  pthread_mutex_unlock(&lock);
  point();
  *place = 7;
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
