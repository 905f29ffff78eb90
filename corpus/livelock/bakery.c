// Lamport's bakery (1974), what is shared under a lock of its own: each thread waits in two loops without a yield.
// heddle: run
// expect: clean bound 1
// says: and never yields
// twin: bakery_without_choosing
#include "livelock/bakery.h"

int main(void) { return two_threads(1); }
