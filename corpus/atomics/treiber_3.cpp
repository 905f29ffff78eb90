// Treiber's stack with three threads: the schedules that differ are those that others have counted, too.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 25680
// runner: programs_test.py
// build: heddle-cc
#include "atomics/treiber.h"

int main() { return push_and_pop<3>(); }
