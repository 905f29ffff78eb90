// Ctrl-C, termination and a closed terminal. The first signal asks the run to end and to keep what it has found; a
// second one ends it at once. Signals that come together count as one: timeout(1) signals its child, and a moment later
// the group. Kernel and shell both signal that a terminal was closed, at any distance, so this signal never ends a run
// at once.
#pragma once

#include <signal.h>

namespace heddle {

bool interrupted();

// While one lives, SIGINT, SIGTERM and SIGHUP (unless ignored) are noted instead of ending the process. With the last
// one the note is forgotten.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction before_[3];
};

}  // namespace heddle
