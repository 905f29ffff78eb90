// A lock of atomics, of a size that nothing else in these programs has.
#pragma once
#include <atomic>
#include <thread>

struct SpinLock {
  std::atomic<int> held{0};
  char unused[300];
  void lock() {
    while (held.exchange(1, std::memory_order_acquire) != 0) std::this_thread::yield();
  }
  void unlock() { held.store(0, std::memory_order_release); }
};
