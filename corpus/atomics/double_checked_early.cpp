// Double-checked initialization that publishes the object before it is filled in.
// heddle: run
// expect: bug assertion at bound 1
// says: level.load
// twin: atomics/double_checked.cpp
// build: heddle-cc
#include "atomics/double_checked.h"

static std::atomic<Settings*> instance;

Settings* settings() {
  if (instance.load() != nullptr) return instance.load();
  const std::lock_guard lock(initialization);
  if (instance.load() == nullptr) {
    instance.store(&storage);
    storage.level.store(7, std::memory_order_relaxed);
  }
  return instance.load();
}

int main() { return use_from_two_threads(); }
