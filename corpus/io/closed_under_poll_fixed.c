// As closed_under_poll.c, but the connection is shut down, which poll() tells of.
//
// heddle: run
// expect: clean complete
// twin: closed_under_poll.c
#define SHUT_DOWN
#include "closed_under_poll.c"
