// See once.h.
#include "runtime/intercept/once.h"

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
