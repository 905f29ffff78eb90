// exit() with a status of failure by a thread, in one schedule; a handler that was set before the threads runs.
// heddle: run
// expect: bug exit at bound 1
// twin: exit_in_thread.c
#include <assert.h>
#include <stdlib.h>

#include "snapshot/one_schedule.h"

static int handlers_run;

static void handler(void) { assert(++handlers_run == 1); }

static void leave(void) { exit(3); }

int main(void) {
  atexit(handler);
  race(leave);
  return 0;
}
