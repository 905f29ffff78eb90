// Both threads write to one block.
// heddle: run
// expect: bug data race at bound 0
// says: of a block of 16 bytes
// twin: races/race_block_again.c
// build: heddle-cc
#include <stdlib.h>

#include "races/two_threads.h"

static int* block;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make(void) { block = malloc(4 * sizeof *block); }

static void use(int value) {
  pthread_once(&once, make);
  block[2] = value;
}

static void first(void) { use(1); }
static void second(void) { use(2); }
static void last(void) { free(block); }
