// An object with a reference count: two threads have a reference each and drop it.
#pragma once

#include <atomic>
#include <thread>

struct Counted {
  std::atomic<int> references{2};
};

void drop(Counted* object);

inline int drop_from_two_threads() {
  auto* object = new Counted;
  std::thread other(drop, object);
  drop(object);
  other.join();
  return 0;
}
