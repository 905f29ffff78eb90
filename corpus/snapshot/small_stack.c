// A thread's stack is too small for what it does in one schedule. The default would be large enough.
// heddle: run
// expect: bug crash at bound 0
// twin: small_stack_fixed.c
#define STACK_BYTES (64 << 10)
#include "snapshot/small_stack.h"
