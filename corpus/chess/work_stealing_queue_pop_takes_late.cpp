// The work-stealing queue of the CHESS papers, buggy: the owner looks at the head before it has published the new tail.
// heddle: run
// expect: bug assertion at bound 1
// says: taken[i] == 1
// twin: chess/work_stealing_queue.cpp
// build: heddle-cc
#include "chess/work_stealing_queue.h"

int main() { return test_work_stealing_queue<QueueBug::PopTakesLate>(); }
