// A handler of faults that makes the same fault once more: the kernel ends the process then.
// heddle: run --max-preemptions=2
// expect: bug crash at bound 0
// says: SIGSEGV
// twin: exit_in_fault_handler.c
#include "snapshot/fault_handlers.h"

static void fail_again(int signal) {
  if (signal == SIGSEGV) *nothing = 2;
  _exit(0);
}

int main(void) { return run(fail_again); }
