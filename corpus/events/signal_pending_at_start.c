// A signal that comes before the first thread, while it is blocked, waits: here for the main thread alone, which never
// takes it. The other one waits for ever.
// heddle: run
// expect: bug deadlock at bound 0
// twin: signal_pending_at_start_fixed.c
#include "signal_pending_at_start.h"

static void send(void) { raise(SIGUSR1); }
