// As number_of_another.c, but the connection is shut down and its reader waited for before it is closed.
//
// heddle: run
// expect: clean complete
// twin: number_of_another.c
#define SHUT_DOWN_FIRST
#include "number_of_another.c"
