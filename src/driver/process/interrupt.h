// Ctrl-C, termination and a terminal that is closed: the first one asks the run to end and keep what it has found; a
// second one ends it at once. Those that come together count as one: timeout(1) signals its child, and a moment later
// the group. A terminal that is closed is told by the kernel and by the shell, at any distance, so that ends nothing at
// once.
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
