// The twin of neighbours.cpp: the head was written first, so whoever has seen the new tail sees the new head.
// heddle: run
// expect: clean complete
// twin: atomics/neighbours.cpp
// build: heddle-cc
#include "atomics/neighbours.h"

int main() {
  std::thread writer(write_both);
  const int tail = queue.tail, head = queue.head;
  writer.join();
  assert(!(tail == 6 && head == 0));
}
