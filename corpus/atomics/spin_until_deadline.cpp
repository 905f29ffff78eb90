// A loop that waits for a flag, but not for ever: where nobody sets it the time is over at some point, and whoever has
// not thought of that goes on without what it has waited for.
// build: heddle-cc
// heddle: run
// expect: bug assertion at bound 0
// twin: spin_until_deadline_fixed.cpp
#include "spin_until_deadline.h"

static void after(bool ready) { assert(ready); }
