// Two threads count without a lock.
// heddle: run
// expect: bug data race at bound 0
// says: counter
// says: and nothing orders the two
// twin: races/race_counter_locked.c
// build: heddle-cc
#include "races/two_threads.h"

static int counter;

static void first(void) { ++counter; }
static void second(void) { ++counter; }
static void last(void) { printf("%d\n", counter); }
