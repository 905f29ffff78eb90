// A block that one thread has freed is given to the other, at the same address: two blocks, no race.
// heddle: run
// expect: clean complete
// twin: races/race_block_shared.c
// build: heddle-cc
#include <stdlib.h>

#include "races/two_threads.h"

static void use(int value) {
  int* block = malloc(4 * sizeof *block);
  for (int i = 0; i < 4; ++i) block[i] = value;
  block = realloc(block, 16 * sizeof *block);
  for (int i = 0; i < 16; ++i) block[i] = value;
  free(block);
}

static void first(void) { use(1); }
static void second(void) { use(2); }
static void last(void) { use(3); }
