// A thread's stack is smaller than the default, and large enough.
// heddle: run
// expect: clean complete
// twin: small_stack.c
#define STACK_BYTES (512 << 10)
#include "snapshot/small_stack.h"
