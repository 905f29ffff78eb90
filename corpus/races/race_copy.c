// One thread copies an array, another writes to its last element.
// heddle: run
// expect: bug data race at bound 0
// says: from
// twin: races/race_copy_apart.c
// build: heddle-cc
#include <string.h>

#include "races/two_threads.h"

static int from[100], to[100];
static volatile unsigned count = 100;  // so that the compiler calls memcpy()

static void first(void) { memcpy(to, from, count * sizeof *from); }
static void second(void) { from[99] = 1; }
static void last(void) { printf("%d\n", to[99]); }
