// A queue counts a value in a second piece of code under its lock, and one that looks in between takes what is not yet
// counted. Most of the switches that there are lie elsewhere.
// heddle: run
// expect: bug assertion at bound 1
// says: --count_ >= 0
// twin: queue_methods_fixed.cpp
#define COUNTED_LATER
#include "queue_methods.h"
