// A flag is read before it is set, in a block that was freed before: --fill=zero says that it is zero.
// heddle: run --fill=zero
// expect: bug assertion at bound 0
// needs: memory points
// build: heddle-cc
// twin: flag_in_used_block_fixed.c
#include "flag_in_used_block.h"

int main(void) {
  make_job();
  return run_threads(0);
}
