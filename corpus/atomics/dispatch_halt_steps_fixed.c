// The boot of Singularity, mended and instrumented.
// heddle: run --max-steps=2000
// expect: clean bound 1
// twin: atomics/dispatch_halt_steps.c
// build: heddle-cc
#include "chess/dispatch_halt_fixed.c"
