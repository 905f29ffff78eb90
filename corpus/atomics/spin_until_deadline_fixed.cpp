// The same, in code that has thought of it.
// build: heddle-cc
// heddle: run --max-preemptions=2
// expect: clean bound 2
// twin: spin_until_deadline.cpp
#include "spin_until_deadline.h"

static void after(bool) {}
