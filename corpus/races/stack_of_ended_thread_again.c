// A thread looks twice at a variable on another one's stack: while that one lives, and when it may have ended. Nothing
// that it releases lies in between.
// heddle: run
// expect: bug use after free at bound 2
// says: on the stack of
// says: which has ended
// twin: races/stack_of_ended_thread_again_fixed.c
// build: heddle-cc
#include "races/stack_of_ended_thread_again.h"
