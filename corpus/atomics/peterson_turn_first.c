// Peterson's algorithm with its two stores in the wrong order: the turn is given away before the wish is announced.
// heddle: run
// expect: bug assertion at bound 2
// says: Assertion `inside == 1' failed
// twin: atomics/peterson.c
// build: heddle-cc clang
#include "atomics/peterson.h"

static void* work(void* argument) {
  const int self = argument != NULL;
  atomic_store(&turn, 1 - self);
  atomic_store(&wants[self], true);
  pass(self);
  return NULL;
}

int main(void) { return run_two(work); }
