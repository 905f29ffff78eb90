// See interrupt.h.
#include "driver/interrupt.h"

#include <atomic>

namespace heddle {
namespace {

std::atomic<bool> flag{false};
int guards = 0;
constexpr int kSignals[2] = {SIGINT, SIGTERM};

void on_signal(int) { flag.store(true); }

}  // namespace

bool interrupted() { return flag.load(); }

InterruptGuard::InterruptGuard() {
  ++guards;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends the process; the target goes with it
  for (int i = 0; i < 2; ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN && guards == 1) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (int i = 0; i < 2; ++i) sigaction(kSignals[i], &before_[i], nullptr);
  if (--guards == 0) flag.store(false);
}

}  // namespace heddle
