// LiteEvent made fit for several waiters, with its flag as steps.
// heddle: run
// expect: clean bound 1
// twin: atomics/lite_event_steps.cpp
// build: heddle-cc
#include "chess/lite_event_fixed.cpp"
