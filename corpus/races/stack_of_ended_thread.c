// A thread leaves a pointer to a variable of its own, and ends. Another one writes there.
// heddle: run
// expect: bug use after free at bound 0
// says: on the stack of
// says: which has ended
// twin: races/stack_of_ended_thread_fixed.c
// build: heddle-cc
#include <stdatomic.h>
#include <stddef.h>

#include "races/two_threads.h"

static _Atomic(int*) left;

static void first(void) {
  int own[1 << 14];  // it begins far below what the kernel thread still uses while it ends on this stack
  left = own;
}

static void second(void) {
  int* const found = left;
  if (found != NULL) *found = 42;
}

static void last(void) {}
