// A reader-writer lock that a writer has taken for reading.
// heddle: run
// expect: bug data race at bound 0
// says: value
// twin: races/race_readers_fixed.c
// build: heddle-cc
#include "races/two_threads.h"

static int value;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void first(void) {
  pthread_rwlock_rdlock(&lock);
  ++value;
  pthread_rwlock_unlock(&lock);
}

static void second(void) {
  pthread_rwlock_rdlock(&lock);
  printf("%d\n", value);
  pthread_rwlock_unlock(&lock);
}

static void last(void) {}
