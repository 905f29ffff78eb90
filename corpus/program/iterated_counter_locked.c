// The twin of iterated_counter.c: adds under one lock.
// heddle: run
// expect: clean complete
// twin: iterated_counter.c
#include "program/iterated_counter.h"

static void* add(void* unused) {
  pthread_mutex_lock(&lock);
  ++counter;
  pthread_mutex_unlock(&lock);
  return unused;
}
