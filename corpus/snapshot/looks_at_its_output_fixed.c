// See looks_at_its_output.h.
// heddle: run
// expect: clean complete
// twin: looks_at_its_output.c
#define PRINT_UNDER_A_LOCK
#include "snapshot/looks_at_its_output.h"
