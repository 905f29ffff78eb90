// Executions that end in the program's handler of a fault: in the next one the same signals are open again, and what
// other threads do while the handler waits to end does it no harm.
// heddle: run --reduction=none --max-preemptions=2
// expect: clean bound 2
// twin: fault_in_fault_handler.c
#include "snapshot/fault_handlers.h"

static void leave(int signal) {
  (void)signal;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  _exit(0);
}

int main(void) { return run(leave); }
