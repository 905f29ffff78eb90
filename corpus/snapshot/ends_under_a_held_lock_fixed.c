// See ends_under_a_held_lock.h.
// heddle: run
// expect: clean complete
// twin: ends_under_a_held_lock.c
#define STATUS 0
#include "snapshot/ends_under_a_held_lock.h"
