// A counter of which it is said, before there are threads, that races on it are meant.
// heddle: run
// expect: clean complete
// twin: program/racing_counter.c
// build: heddle-cc
#include "program/racing_counter.h"

static void prepare(void) { heddle_benign_race(&hits, sizeof hits); }
