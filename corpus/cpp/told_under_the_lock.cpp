// As told_behind_the_lock.cpp, with the store where it belongs.
//
// heddle: run
// expect: clean complete
// says: threads stopped at some of them in
// twin: told_behind_the_lock.cpp
#include "told_behind_the_lock.h"

int main() {
  std::thread waiter(wait_until_told);
  {
    std::lock_guard guard(mutex);
    told = true;
  }
  condition.notify_all();
  waiter.join();
}
