// Treiber's stack with two threads: the schedules that differ are those that others have counted, too.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 40
// build: heddle-cc
#include "atomics/treiber.h"

int main() { return push_and_pop<2>(); }
