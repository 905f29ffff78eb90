// The bakery without the flags that say who is choosing a number: two can have the same one, and both go in. It shows
// behind loops that never yield.
// heddle: run
// expect: bug assertion at bound 2
// twin: bakery
#include "livelock/bakery.h"

int main(void) { return two_threads(0); }
