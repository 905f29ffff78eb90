// The writer forgets to say that it has begun: a reader takes a copy that is half made for whole.
// heddle: run --races=report
// expect: bug assertion at bound 1
// says: data race
// twin: races/torn_copy_fixed.c
// build: heddle-cc
#define BEGIN() (void)0
#include "races/torn_copy.h"
