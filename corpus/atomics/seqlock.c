// A sequence lock: a reader that comes while the writer is at work waits for it, without yielding.
// heddle: run
// expect: clean bound 4
// twin: atomics/seqlock_odd_taken.c
// build: heddle-cc
#include "atomics/seqlock.h"

static void read_both(void) {
  unsigned before;
  int a, b;
  do {
    while ((before = atomic_load(&sequence)) % 2 == 1) {
    }
    a = atomic_load_explicit(&left, memory_order_relaxed);
    b = atomic_load_explicit(&right, memory_order_relaxed);
  } while (atomic_load(&sequence) != before);
  assert(a == b);
}
