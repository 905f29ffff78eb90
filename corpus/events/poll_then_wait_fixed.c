// Waits for input or a signal: ppoll lets the signal in from the very moment on at which it begins to wait.
// heddle: run
// expect: clean complete
// twin: poll_then_wait.c
#define WAIT(entries, open) ppoll((entries), 1, NULL, (open))
#include "poll_then_wait.h"
