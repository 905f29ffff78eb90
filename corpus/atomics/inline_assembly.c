// A spin lock of inline assembly that tests, then sets: two threads get in.
// heddle: run --races=ignore
// expect: bug assertion at bound 2
// says: Assertion `inside == 0' failed
// twin: inline_assembly_fixed.c
// build: heddle-cc
#include "atomics/inline_assembly.h"

static int try_to_lock(void) {
  int was;
  __asm__ volatile("movl %1, %0" : "=r"(was) : "m"(word) : "memory");
  if (was != 0) return 0;
  exchange(&word, 1);
  return 1;
}
