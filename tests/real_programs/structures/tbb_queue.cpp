// oneTBB: a queue without a bound.
#include <tbb/concurrent_queue.h>

#include "structure_test.h"

int main() {
  tbb::concurrent_queue<int> queue;
  put_and_take(
      Order::Queue, [&](int item) { queue.push(item); }, [&](int& item) { return queue.try_pop(item); });
}
