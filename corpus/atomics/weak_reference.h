// A weak reference to a counted object: who has one may ask for a strong one while the object lives (as
// std::weak_ptr::lock does). The count outlives the object, as a control block does.
#pragma once

#include <atomic>
#include <cassert>
#include <thread>

inline std::atomic<int> references{1};
inline std::atomic<bool> alive{true};

bool lock_reference();

inline void drop_reference() {
  if (references.fetch_sub(1) == 1) alive = false;
}

inline int lock_while_dropped() {
  std::thread user([] {
    if (!lock_reference()) return;
    assert(alive);
    drop_reference();
  });
  drop_reference();
  user.join();
  assert(!alive);
  return 0;
}
