// A lost update in a program that brings its own malloc, which takes a mutex. libc frees by it when a thread is joined:
// that is no step, or schedules would differ from one isolation to the next.
// heddle: run
// expect: bug assertion at bound 1
// says: value == 2
// twin: own_malloc_locks_fixed.c
#include "snapshot/own_malloc_locks.h"

static void raise_value(void) {
  pthread_mutex_lock(&mutex);
  const int now = value;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  value = now + 1;
  pthread_mutex_unlock(&mutex);
}
