// A program that brings its own malloc, which takes a mutex, and updates under one critical section.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// twin: own_malloc_locks.c
#include <assert.h>

#include "snapshot/own_malloc.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void* allocate(void* unused) {
  free(malloc(100));
  return unused;
}

static void* raise_it(void* unused) {
  pthread_mutex_lock(&mutex);
  ++value;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, allocate, NULL);
  pthread_join(threads[0], NULL);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, raise_it, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(value == 2);
  return 0;
}
