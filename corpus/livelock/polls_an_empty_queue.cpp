// A thread pool whose workers look into an empty queue again and again, and never yield: who is to stop them waits
// for a time slice to end. The place told is the user's own, not that of the mutex within the C++ library.
// heddle: run --samaritan=bug
// expect: bug good samaritan violation at bound 1
// twin: livelock/polls_and_gives_way_between.cpp
// runner: livelock_test.py
// build: heddle-cc
#include "livelock/polling_pool.h"

static void give_way() {}

int main() { return run_two_tasks(give_way); }
