// Four ends in four schedules: a crash, an abort, an exit status, a stack that overflows. With --keep-going a search
// lists them all and runs every other schedule, too.
// heddle: run
// expect: bug exit at bound 1
// twin: strikes_never.c
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

static int order;
static int* volatile nothing;

static void enter(int who) {
  pthread_mutex_lock(&point_mutex);
  order = order * 10 + who;
  pthread_mutex_unlock(&point_mutex);
}

static int descend(volatile int* above) {
  volatile int here[64] = {*above + 1};
  if (*above < 0) return 0;  // never
  return descend(here) + here[1];
}

static void* first(void* unused) {
  enter(1);
  enter(1);
  return unused;
}

static void* second(void* unused) {
  enter(2);
  enter(2);
  return unused;
}

int main(void) {
  volatile int top = 0;
  run_two(first, second);
  if (order == 1212) *nothing = 1;
  if (order == 2121) abort();
  if (order == 1221) exit(3);
  if (order == 2112) order = descend(&top);
  return 0;
}
