// A queue of capacity 1: two producers and two consumers of two items each; a signal wakes any waiter.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 86336
#include "bounded_queue.h"

int main(void) { return run_queue(2, 1, 0); }
