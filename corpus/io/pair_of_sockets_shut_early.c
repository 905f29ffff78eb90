// One client has its answer, and the way to the server is shut before the other one has asked: it gets SIGPIPE.
// heddle: run
// expect: bug crash at bound 0
// twin: pair_of_sockets.c
#define SHUT_EARLY
#include "io/pair_of_sockets.h"
