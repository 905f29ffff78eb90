// A thread is cancelled in an initializer, which leaves what it had begun.
// heddle: run
// expect: bug assertion at bound 0
// twin: once_left_fixed.c
#include "once_left.h"
