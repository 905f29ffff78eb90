// The same with the value under the lock: no schedule has a race, and nothing is withdrawn.
// heddle: run
// expect: clean complete
// twin: races/race_behind_preemption.c
// build: heddle-cc
#include "races/two_threads.h"

static int value, stage;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void enter_stage(int next) {
  pthread_mutex_lock(&mutex);
  stage = next;
  pthread_mutex_unlock(&mutex);
}

static void first(void) {
  enter_stage(1);
  enter_stage(2);
  pthread_mutex_lock(&mutex);
  value = 1;
  pthread_mutex_unlock(&mutex);
}

static void second(void) {
  pthread_mutex_lock(&mutex);
  const int seen = stage;
  pthread_mutex_unlock(&mutex);
  if (seen != 1) return;
  pthread_mutex_lock(&mutex);
  printf("%d\n", value);
  pthread_mutex_unlock(&mutex);
}

static void last(void) {}
