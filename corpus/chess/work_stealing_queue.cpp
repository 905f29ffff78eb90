// The work-stealing queue of the CHESS papers, correct.
// heddle: run
// expect: clean bound 2
// twin: work_stealing_queue_steal_looks_first.cpp
#include "chess/work_stealing_queue.h"

int main() { return test_work_stealing_queue<QueueBug::None>(); }
