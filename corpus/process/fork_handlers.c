// Handlers of pthread_atfork take a lock around each fork and let it go on both sides: so the child never finds it
// held.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// twin: fork_handlers_forgotten.c
// isolation: fork
#define CHILD_UNLOCKS 1
#include "fork_handlers.h"
