// As copied_after_unlock.c, but the copy is made under the lock.
//
// heddle: run
// expect: clean complete
// twin: copied_after_unlock.c
#define LOCKED
#include "copied_after_unlock.c"
