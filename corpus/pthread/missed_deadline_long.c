// heddle: run
// expect: clean complete
// says: a thread that is a second late at a clock read counted as a preemption
// twin: missed_deadline.c
#define MILLISECONDS 5000
#include "missed_deadline.h"
