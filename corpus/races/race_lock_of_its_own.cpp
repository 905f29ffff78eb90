// Each thread takes a lock, but one of its own. Where one thread ends before the other begins, both locks have the same
// address.
// heddle: run --reduction=none
// expect: bug data race at bound 0
// twin: races/race_lock_of_all.cpp
// build: heddle-cc
#include "races/spin_lock.h"

static int counter;

static void count() {
  auto* const lock = new SpinLock;
  lock->lock();
  ++counter;
  lock->unlock();
  delete lock;
}

int main() {
  std::thread one(count), other(count);
  one.join();
  other.join();
}
