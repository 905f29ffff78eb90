// What the other thread writes to is not copied.
// heddle: run --search=dpor --races=report
// expect: clean complete
// says: data race
// twin: races/copy_of_a_structure.c
// build: heddle-cc clang
#include <string.h>

#include "races/copy_of_a_structure.h"

static void copy(void) { memcpy(to, from, LAST * sizeof(long)); }
