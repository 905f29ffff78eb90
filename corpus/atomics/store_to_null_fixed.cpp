// The pointer stays.
// heddle: run
// expect: clean complete
// twin: store_to_null.cpp
// build: heddle-cc
#define STAYS
#include "atomics/store_to_null.h"
