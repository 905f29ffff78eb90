// See interrupt.h.
#include "driver/process/interrupt.h"

#include <time.h>

#include <atomic>
#include <iterator>

namespace heddle {
namespace {

std::atomic<bool> flag{false};
int guards = 0;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<std::int64_t> first_ms{0};
constexpr std::int64_t kTogether_ms = 300;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t now_ms() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

// Only what a signal handler may do. The target goes with us (process.cpp), a scratch folder with the next run.
void on_signal(int number) {
  const std::int64_t now = now_ms();
  if (!flag.exchange(true)) return first_ms.store(now);
  if (number == SIGHUP || now - first_ms.load() < kTogether_ms) return;
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(number, &usual, nullptr);
  raise(number);  // delivered when we return
}

}  // namespace

bool interrupted() { return flag.load(); }

InterruptGuard::InterruptGuard() {
  ++guards;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : kSignals) sigaddset(&action.sa_mask, number);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN && guards == 1) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  if (--guards == 0) flag.store(false);
}

}  // namespace heddle
