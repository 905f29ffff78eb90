// abort() whose handler ends the process with a status of its own, in one schedule.
// heddle: run --keep-going
// expect: bug exit at bound 2
// says: the program ended with exit status 7
// twin: abort_jumped_out_of.c
#include "snapshot/abort_handlers.h"

static void leave(int signal) {
  (void)signal;
  _exit(7);
}

int main(void) { return run(leave); }
