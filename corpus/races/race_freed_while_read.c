// As freed_when_nobody_reads.c, but destroyed at once.
// heddle: run
// expect: bug data race
// says: frees a block of 16 bytes
// twin: races/freed_when_nobody_reads.c
// build: heddle-cc
#define NODES 3
#include "races/nodes.h"
#include "races/two_threads.h"

static void first(void) { sum(list); }

static void second(void) {
  struct node* const taken = list;
  list = 0;
  destroy(taken);
}

static void last(void) {}
