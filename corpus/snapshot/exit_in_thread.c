// exit(0) by a thread while main waits for it: the handlers run once, in reverse order, those set during the test too.
// heddle: run
// expect: clean complete
// twin: exit_in_one_schedule.c
#include <assert.h>
#include <stdlib.h>

#include "snapshot/two_threads.h"

static int handlers_run;

static void last(void) { assert(++handlers_run == 2); }
static void first(void) { assert(++handlers_run == 1); }

static void* leave(void* unused) {
  atexit(first);
  point();
  exit(0);
  return unused;
}

static void* stay(void* unused) {
  point();
  return unused;
}

int main(void) {
  atexit(last);
  run_two(leave, stay);
  return 1;
}
