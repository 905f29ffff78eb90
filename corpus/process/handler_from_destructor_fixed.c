// A destructor of the program registers a handler of exit(), which runs behind all destructors.
// heddle: run
// expect: clean complete
// twin: handler_from_destructor.c
#define LAST_UNLOCKS 0
#include "process/handler_from_destructor.h"
