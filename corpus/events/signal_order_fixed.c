// Signals with one number are taken in their order, also when the second comes while the first waits to be taken.
// heddle: run
// expect: clean complete
// twin: signal_order.c
#include "signal_order.h"

static int number_of(int which) { return SIGRTMIN + 0 * which; }
