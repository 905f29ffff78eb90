// Two unaligned numbers that share one byte.
// heddle: run
// expect: bug data race at bound 0
// says: bytes[8]
// twin: races/race_unaligned_apart.c
// build: heddle-cc clang
#include <string.h>

#include "races/two_threads.h"

typedef int __attribute__((aligned(1), may_alias)) unaligned_int;
static char bytes[32];

static void first(void) { *(unaligned_int*)(bytes + 5) = 1; }
static void second(void) { *(unaligned_int*)(bytes + 8) = 2; }
static void last(void) { printf("%d\n", bytes[8]); }
