// See counted_objects.h.
#include "runtime/intercept/counted_objects.h"

// As in once_unwind.c.
__asm__(".weak __gcc_personality_v0\n.weak _Unwind_Resume");

static void leave(const int* ignored) {
  if (*ignored) heddle_ignore_accesses(0);
}

void* heddle_give_up(HeddleGiveUp function, void* share, const void* other) {
  __attribute__((cleanup(leave))) int ignored = 1;
  heddle_ignore_accesses(1);
  return function(share, other);
}
