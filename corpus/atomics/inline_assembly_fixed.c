// The exchange says whether the lock was free.
// heddle: run
// expect: clean complete
// twin: inline_assembly.c
// build: heddle-cc
#include "atomics/inline_assembly.h"

static int try_to_lock(void) { return exchange(&word, 1) == 0; }
