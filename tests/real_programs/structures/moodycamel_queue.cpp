// moodycamel::ConcurrentQueue: a queue of its own for each producer.
#include <concurrentqueue/concurrentqueue.h>

#include "structure_test.h"

int main() {
  moodycamel::ConcurrentQueue<int> queue;
  put_and_take(
      Order::Queue, [&](int item) { require(queue.enqueue(item), "room"); },
      [&](int& item) { return queue.try_dequeue(item); });
}
