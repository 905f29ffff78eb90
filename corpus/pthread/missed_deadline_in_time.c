// heddle: run --early-timeouts=no
// expect: clean complete
// says: no thread was slow
// twin: missed_deadline.c
#define MILLISECONDS 20
#include "missed_deadline.h"
