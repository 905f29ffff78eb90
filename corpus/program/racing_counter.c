// A counter that two threads add to without a lock.
// heddle: run
// expect: bug data race at bound 0
// twin: program/benign_counter.c
// build: heddle-cc
#include "program/racing_counter.h"

static void prepare(void) {}
