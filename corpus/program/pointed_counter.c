// A point before the read and before the write: the update that is lost is found.
// heddle: run
// expect: bug assertion at bound 1
// says: a count is lost
// twin: program/pointed_counter_locked.c
#include "program/pointed_counter.h"

static void count(void) {
  heddle_point(&counter);
  const int seen = counter;
  heddle_point(&counter);
  counter = seen + 1;
}
