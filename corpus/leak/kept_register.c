// What one execution on a snapshot leaves in a register the next one finds. Nothing sees that; a check in a process of
// its own does, and the search begins anew under fork.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: fork
#include "leak/kept_register.h"

static void look(uint64_t value) {
  if (value != 0) point();
}
