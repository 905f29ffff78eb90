// An atomic store through a pointer that another thread has set to null. The place is the program's, not that of the
// code that heddle-cc calls for it.
// heddle: run
// expect: bug crash at bound 0
// says: store_to_null.h:14
// twin: store_to_null_fixed.cpp
// build: heddle-cc
#include "atomics/store_to_null.h"
