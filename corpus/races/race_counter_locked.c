// Two threads count under a lock; the one that joins them needs none.
// heddle: run
// expect: clean complete
// twin: races/race_counter.c
// build: heddle-cc
#include "races/two_threads.h"

static int counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void add(void) {
  pthread_mutex_lock(&mutex);
  ++counter;
  pthread_mutex_unlock(&mutex);
}

static void first(void) { add(); }
static void second(void) { add(); }
static void last(void) { printf("%d\n", counter); }
