// A program that brings its own malloc, which takes a mutex, and updates under one critical section.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// twin: own_malloc_locks.c
#include "snapshot/own_malloc_locks.h"

static void raise_value(void) {
  pthread_mutex_lock(&mutex);
  ++value;
  pthread_mutex_unlock(&mutex);
}
