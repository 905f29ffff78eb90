// Where deadlines pass in order, main sees that the thread is done.
// heddle: run --timeouts=ordered
// expect: clean complete
// twin: sleeps_at_once.c
#define MAIN_MILLISECONDS 150
#include "sleeps_as_order.h"
