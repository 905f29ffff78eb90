// Boost 1.74: a ring for one producer and one consumer.
#include <boost/lockfree/spsc_queue.hpp>

#include "structure_test.h"

int main() {
  boost::lockfree::spsc_queue<int*, boost::lockfree::capacity<2>> ring;
  hand_over([&](int* value) { return ring.push(value); }, [&](int*& value) { return ring.pop(value); });
  require(ring.read_available() == 0, "empty, when as many were taken as put");
}
