// The same with a signal to the process, which any thread may take.
// heddle: run
// expect: clean complete
// twin: signal_pending_at_start.c
#include "signal_pending_at_start.h"

static void send(void) { kill(getpid(), SIGUSR1); }
