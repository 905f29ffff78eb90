// The work-stealing queue of the CHESS papers, correct.
// heddle: run
// expect: clean bound 3
// twin: chess/work_stealing_queue_steal_looks_first.cpp
// build: heddle-cc
#include "chess/work_stealing_queue.h"

int main() { return test_work_stealing_queue<QueueBug::None>(); }
