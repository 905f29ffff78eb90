// A queue of capacity 1: one producer and one consumer of two items, the signal inside the lock.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 8
#include "bounded_queue.h"

int main(void) { return run_queue(1, 1, 0); }
