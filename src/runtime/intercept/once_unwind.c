// See once.h.
#include "runtime/intercept/once.h"

// The C++ runtime's, where the program has one. In a C program nothing unwinds through here, and libgcc_s, if
// libheddle.so needed it, would cost every fork five mappings.
__asm__(".weak __gcc_personality_v0\n.weak _Unwind_Resume");

struct Attempt {
  uint64_t token;
  int finished;
};

static void leave(struct Attempt* attempt) {
  if (!attempt->finished) heddle_once_aborted(attempt->token);
}

void heddle_call_once(void (*initializer)(void), uint64_t token) {
  __attribute__((cleanup(leave))) struct Attempt attempt = {token, 0};
  initializer();
  attempt.finished = 1;
}
