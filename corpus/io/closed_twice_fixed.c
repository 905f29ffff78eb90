// As closed_twice.c, but it is closed once.
//
// heddle: run
// expect: clean complete
// twin: closed_twice.c
#define ONCE
#include "closed_twice.c"
