// A thread only ticks, for ever. The others take two locks in one order.
// heddle: run
// expect: clean bound 2
// twin: ticks_beside_deadlock
#include "ticks_beside_deadlock.h"

int main(void) { return run_beside_ticks(&left, &right, &left, &right); }
