// What a condition variable and its mutex order.
// heddle: run
// expect: clean complete
// twin: races/race_counter.c
// build: heddle-cc
#include "races/two_threads.h"

static int value, done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void first(void) {
  value = 1;
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}

static void second(void) {
  pthread_mutex_lock(&mutex);
  while (!done) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  printf("%d\n", value);
}

static void last(void) {}
