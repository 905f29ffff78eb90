// heddle: run
// expect: bug assertion at bound 1
// says: needs a slow thread: work is a second late when it looks at the clock at missed_deadline.h:12
// twin: missed_deadline_long.c
#define MILLISECONDS 20
#include "missed_deadline.h"
