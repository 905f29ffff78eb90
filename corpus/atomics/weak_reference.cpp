// A weak reference becomes a strong one by a compare-exchange that never makes 1 of 0.
// heddle: run
// expect: clean complete
// twin: atomics/weak_reference_revived.cpp
// build: heddle-cc
#include "atomics/weak_reference.h"

bool lock_reference() {
  int count = references.load();
  while (count != 0 && !references.compare_exchange_weak(count, count + 1)) {
  }
  return count != 0;
}

int main() { return lock_while_dropped(); }
