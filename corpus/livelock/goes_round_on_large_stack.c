// A thread with a large stack, which is none of those that Heddle lends: it polls for what nobody sets. Its thread
// storage is elsewhere.
// heddle: run
// expect: bug livelock at bound 0
// twin: polls_and_gives_way
// runner: livelock_test.py
#include "polls_on_a_stack.h"

int main(void) { return poll_on_stack_of(64 << 20); }
