// The thread waits with its end until the other one has looked.
// heddle: run
// expect: clean complete
// twin: races/stack_of_ended_thread_again.c
// build: heddle-cc
#define WAITS
#include "races/stack_of_ended_thread_again.h"
