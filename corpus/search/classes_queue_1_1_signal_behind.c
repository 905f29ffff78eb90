// A queue of capacity 1: one producer and one consumer of two items, the signal behind the lock.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 10
#include "bounded_queue.h"

int main(void) { return run_queue(1, 1, 1); }
