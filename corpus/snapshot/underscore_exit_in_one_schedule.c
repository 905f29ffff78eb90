// _exit() with a status of failure, in one schedule: no handlers run, and the execution ends there.
// heddle: run
// expect: bug exit at bound 1
// twin: underscore_exit_in_thread.c
#include <stdlib.h>
#include <unistd.h>

#include "snapshot/one_schedule.h"

static void must_not_run(void) { abort(); }

static void leave(void) { _exit(3); }

int main(void) {
  atexit(must_not_run);
  race(leave);
  _exit(0);
}
