// Double-checked initialization with an atomic pointer, published when all is filled in.
// heddle: run
// expect: clean complete
// twin: atomics/double_checked_early.cpp
// build: heddle-cc
#include "atomics/double_checked.h"

static std::atomic<Settings*> instance;

Settings* settings() {
  Settings* found = instance.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  const std::lock_guard lock(initialization);
  found = instance.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = &storage;
    found->level.store(7, std::memory_order_relaxed);
    instance.store(found, std::memory_order_release);
  }
  return found;
}

int main() { return use_from_two_threads(); }
