// Each thread has an alternate stack of its own.
// heddle: run
// expect: clean complete
// twin: recovers_from_overflow.c
#define SET_IN_THREAD() set_alternate()
#define FREE_IN_THREAD() free_alternate()
#include "snapshot/recovers_from_overflow.h"
