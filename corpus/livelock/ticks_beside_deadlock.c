// A thread only ticks, for ever. The others take two locks in two orders, and may wait for each other: the ticking does
// not hide that.
// heddle: run
// expect: bug deadlock at bound 1
// says: only ticks
// twin: ticks_beside_deadlock_fixed
#include "ticks_beside_deadlock.h"

int main(void) { return run_beside_ticks(&left, &right, &right, &left); }
