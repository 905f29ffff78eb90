// A weak reference becomes a strong one in two steps, a look and an increment: the object may be gone in between.
// heddle: run
// expect: bug assertion at bound 2
// says: Assertion `alive' failed
// twin: atomics/weak_reference.cpp
// build: heddle-cc
#include "atomics/weak_reference.h"

bool lock_reference() {
  if (references.load() == 0) return false;
  references.fetch_add(1);
  return true;
}

int main() { return lock_while_dropped(); }
