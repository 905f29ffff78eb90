// A reference count that is decremented, and looked at in a second step: both may find that it is 0.
// heddle: run
// expect: bug crash at bound 1
// says: double free detected
// twin: atomics/reference_count.cpp
// build: heddle-cc
#include "atomics/reference_count.h"

void drop(Counted* object) {
  object->references.fetch_sub(1);
  if (object->references.load() == 0) delete object;
}

int main() { return drop_from_two_threads(); }
