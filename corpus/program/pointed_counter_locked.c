// The twin of pointed_counter.c: the same under a lock.
// heddle: run
// expect: clean complete
// twin: program/pointed_counter.c
#include "program/pointed_counter.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(void) {
  pthread_mutex_lock(&lock);
  heddle_point(&counter);
  const int seen = counter;
  heddle_point(NULL);
  counter = seen + 1;
  pthread_mutex_unlock(&lock);
}
