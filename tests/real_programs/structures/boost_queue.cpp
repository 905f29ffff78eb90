// Boost 1.74: Michael and Scott's queue with tagged pointers.
#include <boost/lockfree/queue.hpp>
#include <utility>  // which Boost 1.74 forgets

#include "structure_test.h"

int main() {
  boost::lockfree::queue<int> queue(4);
  put_and_take(
      Order::Queue, [&](int item) { require(queue.push(item), "room"); }, [&](int& item) { return queue.pop(item); });
}
