// Double-checked initialization as it stood in books for years: with a plain pointer, the look outside the lock races
// with the write inside it.
// heddle: run
// expect: bug data race
// says: reads instance at double_checked_plain.cpp:13 while
// twin: atomics/double_checked.cpp
// build: heddle-cc
#include "atomics/double_checked.h"

static Settings* instance;

Settings* settings() {
  if (instance == nullptr) {
    const std::lock_guard lock(initialization);
    if (instance == nullptr) {
      storage.level.store(7, std::memory_order_relaxed);
      instance = &storage;
    }
  }
  return instance;
}

int main() { return use_from_two_threads(); }
