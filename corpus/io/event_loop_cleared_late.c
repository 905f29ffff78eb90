// An event loop that takes back what has woken it after it has looked for work: what was posted in between is
// forgotten.
// heddle: run
// expect: bug deadlock at bound 1
// twin: event_loop.c
#define CLEARED_LATE
#include "io/event_loop.h"
