// The signal may come between the look at the flag and the wait.
// heddle: run
// expect: bug deadlock at bound 1
// twin: input_signal_fixed.c
// isolation: exec
#define WAIT(mask)                              \
  do {                                          \
    pthread_sigmask(SIG_SETMASK, (mask), NULL); \
    while (!told) pause();                      \
  } while (0)
#include "events/input_signal.h"
