// Double-checked initialization: who finds the object there takes it without the lock (Meyers and Alexandrescu, "C++
// and the Perils of Double-Checked Locking", 2004).
#pragma once

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Settings {
  std::atomic<int> level{0};
};

inline std::mutex initialization;
inline Settings storage;

Settings* settings();

inline int use_from_two_threads() {
  auto use = [] { assert(settings()->level.load(std::memory_order_relaxed) == 7); };
  std::thread other(use);
  use();
  other.join();
  return 0;
}
