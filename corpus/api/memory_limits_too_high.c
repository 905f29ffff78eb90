// The limit is higher than what the program believes to be allowed.
// heddle: run
// expect: bug assertion at bound 0
// twin: memory_limits.c
#define _GNU_SOURCE
#define LIMIT 400
#include "memory_limits.h"
