// First the owner, then the count.
// heddle: run
// expect: clean complete
// twin: inline_assembly_next.c
// build: heddle-cc
#include "atomics/inline_assembly_next.h"

static void* enter(void* argument) {
  own(1);
  __asm__ volatile("lock; incl %0" : "+m"(count) : : "memory", "cc");
  return argument;
}
