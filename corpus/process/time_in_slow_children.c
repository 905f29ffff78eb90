// A child takes three times as long as its parent believes.
// heddle: run
// expect: bug assertion at bound 0
// isolation: fork
// twin: time_in_children.c
#define SLOW 3
#include "time_in_children.h"
