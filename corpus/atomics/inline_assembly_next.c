// A count is raised by an instruction whose prefix is a statement of its own. What follows is an exchange without one:
// in between the count is there and the owner is not.
// heddle: run
// expect: bug assertion at bound 2
// twin: inline_assembly_next_fixed.c
// build: heddle-cc
#include "atomics/inline_assembly_next.h"

static void* enter(void* argument) {
  __asm__ volatile("lock; incl %0" : "+m"(count) : : "memory", "cc");
  own(1);
  return argument;
}
