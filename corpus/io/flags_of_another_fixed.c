// As flags_of_another.c, but the other end is made non-blocking, which has flags of its own.
//
// heddle: run --search=dpor
// expect: clean complete
// twin: flags_of_another.c
#define OTHER_END
#include "flags_of_another.c"
