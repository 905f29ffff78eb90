// The queue of Michael and Scott as it is.
// heddle: run
// expect: clean bound 5
// twin: atomics/michael_scott_lost_node.cpp
// build: heddle-cc
#include "atomics/michael_scott.h"

int main() { return enqueue_and_dequeue<QueueBug::None>(); }
