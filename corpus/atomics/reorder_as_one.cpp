// 3 setters and a checker; the pair is written and read as one.
// heddle: run
// expect: clean bound 2
// twin: atomics/reorder_3.cpp
// build: heddle-cc
#include "atomics/reorder.h"

static std::atomic<Pair> both;

void set() { both = {1, -1}; }

Pair look() { return both; }

int main() { return set_and_check(3); }
