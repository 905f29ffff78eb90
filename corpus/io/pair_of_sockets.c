// The way to the server is shut when both clients have their answers.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// twin: pair_of_sockets_shut_early.c
#include "io/pair_of_sockets.h"
