// As long as any notification is pending, halt() comes back at once: a thread whose own is not spins and starves
// whoever would take the other one.
// heddle: run --samaritan=bug --max-steps=20000
// expect: bug good samaritan violation at bound 1
// twin: atomics/dispatch_halt_gives_way.c
// build: heddle-cc
#include "atomics/dispatch_halt.h"

static atomic_int looks;  // what is counted makes each round another one: nobody is seen to wait

static void halt(void) {
  atomic_fetch_add(&looks, 1);
  if (atomic_load(&pending[0]) || atomic_load(&pending[1])) return;
  sched_yield();
}
