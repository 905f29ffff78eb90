// The pipe ends when the last end of a writer is closed.
// heddle: run
// expect: clean complete
// twin: end_of_pipe_kept_open.c
#include "io/end_of_pipe.h"
