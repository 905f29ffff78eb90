// The queue of Michael and Scott with a node linked by a store: what another has linked in the meantime is lost.
// heddle: run
// expect: bug assertion at bound 1
// says: times == 1
// twin: atomics/michael_scott.cpp
// build: heddle-cc
#include "atomics/michael_scott.h"

int main() { return enqueue_and_dequeue<QueueBug::LinkStores>(); }
