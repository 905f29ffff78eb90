// A queue of capacity 2: one producer and one consumer of two items, the signal inside the lock.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 6
#include "bounded_queue.h"

int main(void) { return run_queue(1, 2, 0); }
