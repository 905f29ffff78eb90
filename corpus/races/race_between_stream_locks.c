// A stream's lock orders what is done before it is given back, and only where the threads take it in that order: so the
// race between two uses of it shows in another order of these.
// heddle: run --max-preemptions=1
// expect: bug data race at bound 1
// says: race_between_stream_locks.c:17
// twin: races/ordered_by_stream_lock.c
// build: heddle-cc
#include <stdio.h>

#include "races/two_threads.h"

static int value;

static void use(void) {
  flockfile(stdout);
  funlockfile(stdout);
  ++value;
  flockfile(stdout);
  funlockfile(stdout);
}

static void first(void) { use(); }
static void second(void) { use(); }
static void last(void) {}
