// Only while it waits is the signal let in.
// heddle: run
// expect: clean complete
// twin: input_signal.c
// isolation: exec
#define WAIT(mask) \
  while (!told) sigsuspend(mask)
#include "events/input_signal.h"
