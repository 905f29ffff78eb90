// The work-stealing queue of the CHESS papers, buggy: the owner settles the race for the last item without the lock.
// heddle: run
// expect: bug assertion at bound 2
// says: taken[i] == 1
// twin: chess/work_stealing_queue.cpp
// build: heddle-cc
#include "chess/work_stealing_queue.h"

int main() { return test_work_stealing_queue<QueueBug::SlowPopUnlocked>(); }
