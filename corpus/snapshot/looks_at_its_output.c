// Another thread prints between a thread's printing and its look.
// heddle: run
// expect: bug assertion at bound 1
// twin: looks_at_its_output_fixed.c
#include "snapshot/looks_at_its_output.h"
