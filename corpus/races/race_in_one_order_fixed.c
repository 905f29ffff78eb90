// The value is looked at only when the lock has shown that it is there.
// heddle: run
// expect: clean complete
// twin: races/race_in_one_order.c
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
  if (is_done) printf("%d\n", value);
}

static void last(void) {}
