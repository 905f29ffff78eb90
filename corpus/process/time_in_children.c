// Sleeps of a program and of the processes that it forks end in the order of time, and whoever waits for another
// process takes over its time.
// heddle: run
// expect: clean complete
// isolation: fork
// twin: time_in_slow_children.c
#define SLOW 1
#include "time_in_children.h"
