// Looks whether the child's end was told of with the signal blocked, and lets it in only while it waits.
// heddle: run
// expect: clean complete
// twin: child_ends_unseen.c
// isolation: fork
#define WAIT_FOR_SIGNAL(closed, open) sigsuspend(open)
#include "child_ends_unseen.h"
