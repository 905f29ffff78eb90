// As race_resized.c, under a lock.
// heddle: run
// expect: clean complete
// twin: races/race_resized.c
// build: heddle-cc
#include "races/resized.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void first(void) {
  pthread_mutex_lock(&lock);
  add(5);
  pthread_mutex_unlock(&lock);
}

static void second(void) {
  pthread_mutex_lock(&lock);
  assert(table[1] == 8);
  pthread_mutex_unlock(&lock);
}

static void last(void) { free(table); }
