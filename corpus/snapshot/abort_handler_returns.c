// abort() whose handler returns: it goes on to end the process, and the place is that of the call.
// heddle: run --keep-going
// expect: bug assertion at bound 2
// says: abort_handlers.h:30
// twin: abort_jumped_out_of.c
#include "snapshot/abort_handlers.h"

static void say_nothing(int signal) { (void)signal; }

int main(void) { return run(say_nothing); }
