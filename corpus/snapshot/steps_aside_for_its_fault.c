// The handler takes the default action back and returns, so that the fault comes again, as LLVM's does.
// heddle: run
// expect: bug crash at bound 1
// says: SIGSEGV at address 0x0
// says: reports_its_fault.h:28
// twin: steps_aside_for_its_fault_fixed.c
#define _GNU_SOURCE
#define HOLDS_ON 0
#include "snapshot/reports_its_fault.h"

static void report(int number) { signal(number, SIG_DFL); }
