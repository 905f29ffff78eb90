// A reference count whose decrement says who was the last.
// heddle: run
// expect: clean complete
// twin: atomics/reference_count_looked_at_later.cpp
// build: heddle-cc
#include "atomics/reference_count.h"

void drop(Counted* object) {
  if (object->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object;
}

int main() { return drop_from_two_threads(); }
