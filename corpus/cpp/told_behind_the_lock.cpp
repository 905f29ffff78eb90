// The commonest lost wake-up: the flag is set behind the unlock, so the waiter may look at it, find it unset, and only
// then begin to wait, when it has been told already. Nothing of this is instrumented: the store is no step, and belongs
// to the piece that begins with the unlock. A thread has to stop there.
//
// heddle: run
// expect: bug deadlock at bound 2
// says: threads stopped at some of them in
// twin: told_under_the_lock.cpp
#include "told_behind_the_lock.h"

int main() {
  std::thread waiter(wait_until_told);
  { std::lock_guard guard(mutex); }
  told = true;
  condition.notify_all();
  waiter.join();
}
