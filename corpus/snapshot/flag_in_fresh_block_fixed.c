// The flag is set before the threads begin. That blocks of all sizes begin with zeros is checked first.
// heddle: run
// expect: clean complete
// build: heddle-cc
// twin: flag_in_fresh_block.c
#include "flag_in_fresh_block.h"

int main(void) {
  make_jobs();
  atomic_store(&job->ready, 1);
  return run_threads();
}
