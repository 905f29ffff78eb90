// A reference count that is decremented, and looked at in a second step: both may find that it is 0.
// (One looks while the other one frees it: a race, and in that order, at bound 0, without consequences.)
// heddle: run --races=report
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
