// The writer forgets to close its end: the pipe never ends.
// heddle: run
// expect: bug deadlock at bound 0
// twin: end_of_pipe.c
#define KEPT_OPEN
#include "io/end_of_pipe.h"
