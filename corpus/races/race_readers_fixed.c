// A reader-writer lock that the writer has taken for writing.
// heddle: run
// expect: clean complete
// twin: races/race_readers.c
// build: heddle-cc
#include "races/two_threads.h"

static int value;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void first(void) {
  pthread_rwlock_wrlock(&lock);
  ++value;
  pthread_rwlock_unlock(&lock);
}

static void second(void) {
  pthread_rwlock_rdlock(&lock);
  printf("%d\n", value);
  pthread_rwlock_unlock(&lock);
}

static void last(void) {}
