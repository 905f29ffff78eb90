// An endless stress loop, of which each execution goes through one round: an update is lost.
// heddle: run
// expect: bug assertion at bound 1
// twin: iterated_counter_locked.c
#include "program/iterated_counter.h"

static void* add(void* unused) {
  pthread_mutex_lock(&lock);
  const int seen = counter;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  counter = seen + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}
