// The boot of Singularity once more, instrumented: what its locks protect is seen not to race, and the loop is found as
// it is without.
// heddle: run --samaritan=bug --max-steps=4000
// expect: bug good samaritan violation at bound 1
// twin: atomics/dispatch_halt_steps_fixed.c
// build: heddle-cc
#include "chess/dispatch_halt.c"
