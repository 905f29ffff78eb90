// A spin lock of the program's own, in a plain build: the balance is looked at and taken from under one lock of it.
// heddle: run --patch=yes
// expect: clean complete
// twin: plain_spin_lock.cpp
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
  const std::lock_guard guard(balance_lock);
  if (balance >= amount) balance -= amount;
}

int main() {
  std::thread first(withdraw, 80), second(withdraw, 80);
  first.join();
  second.join();
  assert(balance >= 0);
}
