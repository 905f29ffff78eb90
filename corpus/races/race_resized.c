// A table grows while another thread reads it: realloc() gives the old one back.
// heddle: run
// expect: bug data race at bound 0
// says: frees a block of
// twin: races/race_resized_locked.c
// build: heddle-cc
#include "races/resized.h"

static void first(void) { add(5); }

static void second(void) {
  const int* const all = table;
  if (count > 2) return;  // by then it has moved
  assert(all[1] == 8);
}

static void last(void) { free(table); }
