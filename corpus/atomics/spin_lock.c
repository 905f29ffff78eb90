// A spin lock that never yields: who finds it taken waits, under Heddle, until it is given back.
// heddle: run
// expect: clean bound 3
// twin: atomics/spin_lock_forgotten.c
// build: heddle-cc
#include "atomics/two_threads.h"

static atomic_flag lock = ATOMIC_FLAG_INIT;

static void* work(void* unused) {
  for (int i = 0; i < 2; ++i) {
    while (atomic_flag_test_and_set(&lock)) {
    }
    be_alone();
    atomic_flag_clear(&lock);
  }
  return unused;
}

int main(void) { return run_two(work); }
