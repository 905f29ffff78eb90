// Dekker's algorithm without its turn: each lets the other go first by looking once more. Both may look before either
// wants, when the flag is raised too late.
// heddle: run
// expect: bug assertion at bound 2
// says: Assertion `inside == 1' failed
// twin: atomics/dekker.c
// build: heddle-cc
#include "atomics/two_threads.h"

static atomic_bool wants[2];

static void* work(void* argument) {
  const int self = argument != NULL;
  while (atomic_load(&wants[1 - self])) {
  }
  atomic_store(&wants[self], true);
  be_alone();
  atomic_store(&wants[self], false);
  return NULL;
}

int main(void) { return run_two(work); }
