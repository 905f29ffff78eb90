// 10 setters and a checker: one preemption is enough, but the schedules without any (the order of eleven threads) are
// too many to come to those with one. Random schedules find it, as a part of them preempts seldom.
// heddle: run --search=random --seed=2
// expect: bug assertion
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

int main() { return set_and_check(10); }
