// heddle: run --timeouts=late
// expect: clean complete
// says: Not checked: slow threads
// twin: missed_deadline.c
#define MILLISECONDS 20
#include "missed_deadline.h"
