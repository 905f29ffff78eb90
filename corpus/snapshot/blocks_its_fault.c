// The thread blocks all signals, so that the kernel ends the process at its fault, whatever the handler would do.
// heddle: run
// expect: bug crash at bound 1
// says: SIGFPE
// twin: blocks_its_fault_fixed.c
#define OPEN_FAULTS() (void)0
#include "snapshot/blocks_its_fault.h"
