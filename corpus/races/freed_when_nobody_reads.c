// One thread reads a list, another takes it away; a library has it destroyed when the reader is gone.
// heddle: run
// expect: clean complete
// twin: races/race_freed_while_read.c
// build: heddle-cc
// library: races/library/put_off.c
#define NODES 300
#include "races/library/put_off.h"
#include "races/nodes.h"
#include "races/two_threads.h"

static void first(void) {
  put_off_enter();
  sum(list);
  put_off_leave();
}

static void second(void) {
  struct node* const taken = list;
  list = 0;
  put_off(taken, destroy);
}

static void last(void) {}
