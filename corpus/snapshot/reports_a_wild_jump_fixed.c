// heddle: run
// expect: clean complete
// twin: reports_a_wild_jump.c
#define LATER nothing
#include "snapshot/reports_a_wild_jump.h"
