// A value with its version, 16 bytes, changed as one (cmpxchg16b): what containers with counted pointers are made of.
#pragma once

#include <atomic>
#include <cassert>
#include <thread>

struct alignas(16) Versioned {
  long value;
  long version;
};

inline std::atomic<Versioned> current{Versioned{0, 0}};

void add_one();

inline int add_from_two_threads() {
  std::thread other(add_one);
  add_one();
  other.join();
  const Versioned end = current.load();
  assert(end.value == 2 && end.version == 2);
  return 0;
}
