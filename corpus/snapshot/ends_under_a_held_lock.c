// See ends_under_a_held_lock.h.
// heddle: run
// expect: bug exit at bound 0
// says: last line printed: from under the lock
// twin: ends_under_a_held_lock_fixed.c
#define STATUS 1
#include "snapshot/ends_under_a_held_lock.h"
