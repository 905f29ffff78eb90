// 4 setters and a checker; the pair is two variables.
// heddle: run
// expect: bug assertion at bound 1
// says: seen.first == 1 && seen.second == -1
// twin: atomics/reorder_as_one.cpp
// build: heddle-cc
#include "atomics/reorder.h"

static std::atomic<int> first, second;

void set() {
  first = 1;
  second = -1;
}

Pair look() {
  const int seen_first = first;
  return {seen_first, second};
}

int main() { return set_and_check(4); }
