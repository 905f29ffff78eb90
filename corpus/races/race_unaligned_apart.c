// Two unaligned numbers, one behind the other.
// heddle: run
// expect: clean complete
// twin: races/race_unaligned.c
// build: heddle-cc
#include "races/two_threads.h"

typedef int __attribute__((aligned(1), may_alias)) unaligned_int;
static char bytes[32];

static void first(void) { *(unaligned_int*)(bytes + 5) = 1; }
static void second(void) { *(unaligned_int*)(bytes + 9) = 2; }
static void last(void) { printf("%d\n", bytes[8]); }
