// Of signals with different numbers the lowest is taken first, whichever came first: who waits for them can't go by the
// order in which they were sent.
// heddle: run
// expect: bug assertion at bound 0
// twin: signal_order_fixed.c
#include "signal_order.h"

static int number_of(int which) { return SIGRTMIN + 2 - which; }
