// Dekker's algorithm (Dijkstra, EWD 123): right under sequential consistency. The turn decides who backs off.
// heddle: run
// expect: clean bound 3
// twin: atomics/dekker_no_turn.c
// build: heddle-cc
#include "atomics/two_threads.h"

static atomic_bool wants[2];
static atomic_int turn;

static void enter(int self) {
  atomic_store(&wants[self], true);
  while (atomic_load(&wants[1 - self])) {
    if (atomic_load(&turn) == self) continue;
    atomic_store(&wants[self], false);
    while (atomic_load(&turn) != self) {
    }
    atomic_store(&wants[self], true);
  }
}

static void leave(int self) {
  atomic_store(&turn, 1 - self);
  atomic_store(&wants[self], false);
}

static void* work(void* argument) {
  const int self = argument != NULL;
  enter(self);
  be_alone();
  leave(self);
  return NULL;
}

int main(void) { return run_two(work); }
