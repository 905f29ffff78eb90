// The same, with a flag that is set when the job is made.
// heddle: run --fill=zero
// expect: clean complete
// build: heddle-cc
// twin: flag_in_used_block.c
#include "flag_in_used_block.h"

int main(void) {
  make_job();
  return run_threads(1);
}
