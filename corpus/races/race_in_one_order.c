// The write is outside of the lock. When the writer comes first, its unlock orders it before the reader all the same:
// the race is there in the other order only.
// heddle: run
// expect: bug data race at bound 0
// says: value
// twin: races/race_in_one_order_fixed.c
// build: heddle-cc
#include "races/two_threads.h"

static int value, done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void) {
  value = 1;
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_mutex_unlock(&mutex);
}

static void second(void) {
  pthread_mutex_lock(&mutex);
  const int is_done = done;
  pthread_mutex_unlock(&mutex);
  printf("%d %d\n", is_done, value);
}

static void last(void) {}
