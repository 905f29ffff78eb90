// A thread pool whose workers look into an empty queue again and again, and let others run in between.
// heddle: run
// expect: clean bound 2
// twin: livelock/polls_an_empty_queue.cpp
// build: heddle-cc
#include "livelock/polling_pool.h"

static void give_way() { std::this_thread::yield(); }

int main() { return run_two_tasks(give_way); }
