// quick_exit(0) by a thread: the handlers of at_quick_exit run, those of atexit don't.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <stdlib.h>

#include "snapshot/two_threads.h"

static int handlers_run;

static void must_not_run(void) { abort(); }
static void handler(void) { assert(++handlers_run == 1); }

static void* leave(void* unused) {
  point();
  quick_exit(0);
  return unused;
}

static void* stay(void* unused) {
  point();
  return unused;
}

int main(void) {
  atexit(must_not_run);
  at_quick_exit(handler);
  run_two(leave, stay);
  return 1;
}
