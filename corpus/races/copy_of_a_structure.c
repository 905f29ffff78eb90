// Of a copy everything counts, not only where it begins: what it reads and writes at its end is written by another
// thread. It fails where the write comes before the copy, and the write to what is copied from behind it.
// heddle: run --search=dpor --races=report
// expect: bug assertion
// says: data race
// twin: races/copy_of_a_part.c
// build: heddle-cc clang
#include "races/copy_of_a_structure.h"

static void copy(void) { *to = *from; }
