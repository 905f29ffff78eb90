// Waits for input or a signal: unblocks the signal, then polls. In between it comes, and the poll is for ever.
// heddle: run
// expect: bug deadlock at bound 0
// twin: poll_then_wait_fixed.c
#define WAIT(entries, open) (pthread_sigmask(SIG_SETMASK, (open), NULL), poll((entries), 1, -1))
#include "poll_then_wait.h"
