// As kept_register.c, and the test fails where it finds what another execution left. No process of its own does, so it
// is no bug: the search begins anew under fork before one is reported.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: fork
#include <assert.h>

#include "leak/kept_register.h"

static void look(uint64_t value) { assert(value == 0); }
