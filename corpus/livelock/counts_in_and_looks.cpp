// A lock that counts who comes: who finds it taken takes its count back, and looks until nobody is inside.
// heddle: run
// expect: clean bound 2
// twin: livelock/counts_in_and_out.cpp
// build: heddle-cc
#include <atomic>

#include "livelock/counted_lock.h"

static std::atomic<int> inside{0};

static void lock() {
  while (inside.fetch_add(1) != 0) {
    inside.fetch_sub(1);
    while (inside != 0) {
    }
  }
}
static void unlock() { inside.fetch_sub(1); }

int main() { return lock_from_two(lock, unlock); }
