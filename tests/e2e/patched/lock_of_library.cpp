// A lock of oneTBB that is taken by code in its header, in a plain build. With -DBUG the balance is looked at under one
// lock, and taken under another.
#include <oneapi/tbb/spin_mutex.h>

#include <cassert>
#include <thread>

tbb::spin_mutex mutex;
int balance = 100;

void withdraw(int amount) {
#ifdef BUG
  {
    tbb::spin_mutex::scoped_lock lock(mutex);
    if (balance < amount) return;
  }
  tbb::spin_mutex::scoped_lock lock(mutex);
  balance -= amount;
#else
  tbb::spin_mutex::scoped_lock lock(mutex);
  if (balance >= amount) balance -= amount;
#endif
}

int main() {
  std::thread first(withdraw, 80), second(withdraw, 80);
  first.join();
  second.join();
  assert(balance >= 0);
}
