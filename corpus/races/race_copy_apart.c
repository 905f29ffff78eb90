// The copy ends before the element that another thread writes to.
// heddle: run
// expect: clean complete
// twin: races/race_copy.c
// build: heddle-cc
#include <string.h>

#include "races/two_threads.h"

static int from[100], to[100];
static const volatile unsigned count = 99;

static void first(void) { memcpy(to, from, count * sizeof *from); }
static void second(void) { from[99] = 1; }
static void last(void) { printf("%d\n", to[98]); }
