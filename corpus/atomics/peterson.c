// Peterson's algorithm (Information Processing Letters 12/3, 1981): right under sequential consistency.
// heddle: run
// expect: clean bound 3
// twin: atomics/peterson_turn_first.c
// build: heddle-cc clang
#include "atomics/peterson.h"

static void* work(void* argument) {
  const int self = argument != NULL;
  atomic_store(&wants[self], true);
  atomic_store(&turn, 1 - self);
  pass(self);
  return NULL;
}

int main(void) { return run_two(work); }
