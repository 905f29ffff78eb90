// As race_lock_of_its_own.cpp, with one lock.
// heddle: run
// expect: clean complete
// twin: races/race_lock_of_its_own.cpp
// build: heddle-cc
#include "races/spin_lock.h"

static int counter;

static void count(SpinLock* lock) {
  lock->lock();
  ++counter;
  lock->unlock();
}

int main() {
  auto* const lock = new SpinLock;
  std::thread one(count, lock), other(count, lock);
  one.join();
  other.join();
  delete lock;
}
