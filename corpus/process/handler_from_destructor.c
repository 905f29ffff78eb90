// A destructor of the program registers a handler of exit(), which runs behind all destructors and unlocks a mutex that
// nobody holds any more.
// heddle: run
// expect: bug misuse at bound 0
// twin: handler_from_destructor_fixed.c
#define LAST_UNLOCKS 1
#include "process/handler_from_destructor.h"
