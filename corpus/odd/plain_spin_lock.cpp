// A spin lock of the program's own, in a plain build, and a balance that is looked at and taken from under two locks of
// it. Whoever waits reads in a loop that changes nothing, and the plain store that unlocks is not seen: the loop must
// let the owner go on.
// heddle: run --patch=yes
// expect: bug assertion at bound 1
// twin: plain_spin_lock_fixed.cpp
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class SpinLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire))
      while (taken_.load(std::memory_order_relaxed)) __builtin_ia32_pause();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

SpinLock balance_lock;
int balance = 100;

void withdraw(int amount) {
  int seen;
  {
    const std::lock_guard guard(balance_lock);
    seen = balance;
  }
  if (seen < amount) return;
  const std::lock_guard guard(balance_lock);  // the bug: another thread may have withdrawn by now
  balance -= amount;
}

int main() {
  std::thread first(withdraw, 80), second(withdraw, 80);
  first.join();
  second.join();
  assert(balance >= 0);
}
