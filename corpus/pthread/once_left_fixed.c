// The initializer takes back what it had begun when it is cancelled.
// heddle: run
// expect: clean bound 2
// twin: once_left.c
#define TAKES_BACK
#include "once_left.h"
