// The author takes main's alternate stack for everybody's: where a thread overflows its own, nothing can be called.
// heddle: run
// expect: bug crash at bound 0
// twin: recovers_from_overflow_fixed.c
#define SET_IN_THREAD() (void)0
#define FREE_IN_THREAD() (void)0
#include "snapshot/recovers_from_overflow.h"
