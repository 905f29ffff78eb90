// A lock that counts who comes: who finds it taken takes its count back and tries again, and never yields. What it
// writes it takes back, so that all is as it was.
// heddle: run --samaritan=bug
// expect: bug good samaritan violation at bound 1
// twin: livelock/counts_in_and_looks.cpp
// runner: livelock_test.py
// build: heddle-cc
#include <atomic>

#include "livelock/counted_lock.h"

static std::atomic<int> inside{0};

static void lock() {
  while (inside.fetch_add(1) != 0) inside.fetch_sub(1);
}
static void unlock() { inside.fetch_sub(1); }

int main() { return lock_from_two(lock, unlock); }
