// Handlers of pthread_atfork take a lock around each fork, but only the parent lets it go: the child waits for ever.
// heddle: run
// expect: bug deadlock at bound 0
// twin: fork_handlers.c
// isolation: fork
#define CHILD_UNLOCKS 0
#include "fork_handlers.h"
