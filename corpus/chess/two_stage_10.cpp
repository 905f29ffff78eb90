// 10 tasks; the writers give one lock back before they take the other.
// heddle: run --search=random --seed=2
// expect: bug assertion
// says: second == seen + 1
// twin: chess/two_stage_both_locked.cpp
#include "chess/two_stage.h"

void write_both() {
  first_lock.lock();
  first = 1;
  first_lock.unlock();
  second_lock.lock();
  second = 2;
  second_lock.unlock();
}

int main() { return write_and_read(10); }
