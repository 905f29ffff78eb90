// build: heddle-cc
// heddle: run
// expect: bug deadlock at bound 2
// twin: spin_then_park_locked.cpp
#include "spin_then_park.h"
