// The signals of faults are let in.
// heddle: run
// expect: clean complete
// twin: blocks_its_fault.c
#define OPEN_FAULTS()                         \
  do {                                        \
    sigdelset(&all, SIGFPE);                  \
    pthread_sigmask(SIG_SETMASK, &all, NULL); \
  } while (0)
#include "snapshot/blocks_its_fault.h"
