// A thread with a small stack, which polls for what nobody sets. That its state has come again is seen by what
// its frames and its thread storage hold, which do not lie side by side then.
// heddle: run
// expect: bug livelock at bound 0
// twin: polls_and_gives_way
// runner: livelock_test.py
#include "polls_on_a_stack.h"

int main(void) { return poll_on_stack_of(64 << 10); }
