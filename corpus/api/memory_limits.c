// A limit that the program sets for its memory holds for its heap, mappings, program break and children.
// heddle: run
// expect: clean complete
// twin: memory_limits_too_high.c
#define _GNU_SOURCE
#define LIMIT 256
#include "memory_limits.h"
