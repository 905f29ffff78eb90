// 4 tasks; the writers hold both locks while they are between the stages.
// heddle: run
// expect: clean bound 1
// twin: chess/two_stage_4.cpp
#include "chess/two_stage.h"

void write_both() {
  const std::scoped_lock both(first_lock, second_lock);
  first = 1;
  second = 2;
}

int main() { return write_and_read(4); }
