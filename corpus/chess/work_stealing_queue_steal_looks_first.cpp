// The work-stealing queue of the CHESS papers, buggy: a thief looks at the tail before it has published the new head.
// heddle: run
// expect: bug assertion at bound 2
// needs: memory points (issue D)
// today: clean bound 2
// twin: work_stealing_queue.cpp
#include "chess/work_stealing_queue.h"

int main() { return test_work_stealing_queue<QueueBug::StealLooksFirst>(); }
