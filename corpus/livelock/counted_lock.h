// Two threads take a lock of the program's own; what it protects is checked.
#pragma once
#include <cassert>
#include <thread>

inline int lock_from_two(void (*lock)(), void (*unlock)()) {
  static int alone = 0;
  const auto work = [=] {
    lock();
    ++alone;
    assert(alone == 1);
    --alone;
    unlock();
  };
  std::thread one(work), other(work);
  one.join();
  other.join();
  return 0;
}
