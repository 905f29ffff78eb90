// _exit(0) by a thread, while main waits for it: the process ends at once and in order.
// heddle: run
// expect: clean complete
// twin: underscore_exit_in_one_schedule.c
#include <stdlib.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

static void must_not_run(void) { abort(); }

static void* leave(void* unused) {
  point();
  _exit(0);
  return unused;
}

static void* stay(void* unused) {
  point();
  return unused;
}

int main(void) {
  atexit(must_not_run);
  run_two(leave, stay);
  abort();
}
