// A flag in a block that nobody had before is read before it is set: it is zero, as natively.
// heddle: run
// expect: bug assertion at bound 0
// needs: memory points
// build: heddle-cc
// twin: flag_in_fresh_block_fixed.c
#include "flag_in_fresh_block.h"

int main(void) {
  make_jobs();
  return run_threads();
}
