// Looks whether the child's end was told of, then waits for a signal: in between it comes, and the wait is for ever.
// heddle: run
// expect: bug deadlock at bound 1
// twin: child_ends_unseen_fixed.c
// isolation: fork
#define WAIT_FOR_SIGNAL(closed, open) (pthread_sigmask(SIG_SETMASK, (open), NULL), pause())
#include "child_ends_unseen.h"
