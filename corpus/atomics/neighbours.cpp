// Two atomics in one word of eight bytes, and two shorter ones in another: the page says of each step which of them it
// accessed. The reader takes the tail first and believes that the head is no further.
// heddle: run
// expect: bug assertion at bound 1
// twin: atomics/neighbours_in_order.cpp
// build: heddle-cc
#include "atomics/neighbours.h"

int main() {
  std::thread writer(write_both);
  const int tail = queue.tail, head = queue.head;
  writer.join();
  assert(!(tail == 0 && head == 5));
}
