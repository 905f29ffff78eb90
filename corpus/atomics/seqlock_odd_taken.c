// A sequence lock whose reader only looks whether the number has changed: it may begin and end inside one write.
// heddle: run
// expect: bug assertion at bound 2
// says: Assertion `a == b' failed
// twin: atomics/seqlock.c
// build: heddle-cc
#include "atomics/seqlock.h"

static void read_both(void) {
  unsigned before;
  int a, b;
  do {
    before = atomic_load(&sequence);
    a = atomic_load_explicit(&left, memory_order_relaxed);
    b = atomic_load_explicit(&right, memory_order_relaxed);
  } while (atomic_load(&sequence) != before);
  assert(a == b);
}
