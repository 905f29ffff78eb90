// The same with an exit handler that looks at what a thread does: it fails only if the thread stands between two
// rounds.
// heddle: run --search=dpor
// expect: bug assertion
// twin: main_returns.c
#include <assert.h>
#include <stdlib.h>

#include "main_returns.h"

static void check(void) { assert(counters[1].count != 2); }

int main(void) {
  atexit(check);
  start();
  return 0;
}
