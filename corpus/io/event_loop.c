// An event loop that takes back what has woken it before it looks for work.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// twin: event_loop_cleared_late.c
#include "io/event_loop.h"
