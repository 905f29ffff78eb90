// The mutex is held from the look to the use.
// heddle: run
// expect: clean complete
// twin: steps_aside_for_its_fault.c
#define _GNU_SOURCE
#define HOLDS_ON 1
#include "snapshot/reports_its_fault.h"

static void report(int number) { signal(number, SIG_DFL); }
