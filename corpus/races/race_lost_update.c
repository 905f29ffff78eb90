// What a race leads to: one of two increments is lost when a thread is stopped between its read and its write.
// heddle: run
// expect: bug data race at bound 0
// twin: races/race_counter_locked.c
// build: heddle-cc
#include <assert.h>

#include "races/two_threads.h"

static int counter;

static void first(void) { ++counter; }
static void second(void) { ++counter; }
static void last(void) { assert(counter == 2); }
