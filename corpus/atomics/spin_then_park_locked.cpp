// build: heddle-cc
// heddle: run
// expect: clean bound 2
// twin: spin_then_park.cpp
#define LOCKS
#include "spin_then_park.h"
