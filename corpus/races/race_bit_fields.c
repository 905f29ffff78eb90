// Two bit-fields of one word: to write one is to write the other.
// heddle: run
// expect: bug data race at bound 0
// says: flags
// twin: races/race_bit_fields_apart.c
// build: heddle-cc
#include "races/two_threads.h"

static struct {
  unsigned ready : 3;
  unsigned count : 5;
} flags;

static void first(void) { flags.ready = 1; }
static void second(void) { flags.count = 7; }
static void last(void) { printf("%d %d\n", flags.ready, flags.count); }
