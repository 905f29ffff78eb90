// Two sleeps that end at the same time end in either order.
// heddle: run --timeouts=ordered
// expect: bug assertion at bound 0
// twin: sleeps_in_order.c
#define MAIN_MILLISECONDS 100
#include "sleeps_as_order.h"
