// The second thread reads the value only if it sees the first one between its two stages, which takes a preemption:
// when the race is found, all schedules without one have been run, and what was proved of them is withdrawn.
// heddle: run
// expect: bug data race at bound 1
// says: the search begins anew
// twin: races/race_behind_preemption_fixed.c
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
  value = 1;
}

static void second(void) {
  pthread_mutex_lock(&mutex);
  const int seen = stage;
  pthread_mutex_unlock(&mutex);
  if (seen == 1) printf("%d\n", value);
}

static void last(void) {}
