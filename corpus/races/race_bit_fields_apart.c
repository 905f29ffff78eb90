// A field of no width begins a new word: the two are memory locations of their own.
// heddle: run
// expect: clean complete
// twin: races/race_bit_fields.c
// build: heddle-cc clang
#include "races/two_threads.h"

static struct {
  unsigned ready : 3;
  unsigned : 0;
  unsigned count : 5;
} flags;

static void first(void) { flags.ready = 1; }
static void second(void) { flags.count = 7; }
static void last(void) { printf("%d %d\n", flags.ready, flags.count); }
