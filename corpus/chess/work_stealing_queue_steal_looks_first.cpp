// The work-stealing queue of the CHESS papers, buggy: a thief looks at the tail before it has published the new head.
// heddle: run
// expect: bug assertion at bound 2
// says: taken[i] == 1
// twin: chess/work_stealing_queue.cpp
// build: heddle-cc
#include "chess/work_stealing_queue.h"

int main() { return test_work_stealing_queue<QueueBug::StealLooksFirst>(); }
