// What the lock of a stream orders.
// heddle: run
// expect: clean complete
// twin: races/race_counter.c
// build: heddle-cc
#include <stdio.h>

#include "races/two_threads.h"

static int value;

static void add(void) {
  flockfile(stdout);
  ++value;
  funlockfile(stdout);
}

static void first(void) { add(); }

static void second(void) {
  if (ftrylockfile(stdout) != 0) return add();
  ++value;
  funlockfile(stdout);
}

static void last(void) {
  if (value != 2) __builtin_trap();
}
