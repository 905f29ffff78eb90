// A thread that finds nothing for itself yields, whatever else is pending.
// heddle: run
// expect: clean bound 2
// twin: atomics/dispatch_halt_flags.c
// build: heddle-cc
#include "atomics/dispatch_halt.h"

static void halt(void) { sched_yield(); }
