// moodycamel::ConcurrentQueue takes a block again that two consumers have emptied. The one that empties it last does so
// by a fetch_add with memory_order_release, so whoever uses the block next need not be behind the other one's read.
#include <concurrentqueue/concurrentqueue.h>

#include "structure_test.h"

struct SmallBlocks : moodycamel::ConcurrentQueueDefaultTraits {
  static constexpr std::size_t BLOCK_SIZE = 2;
};

int main() {
  moodycamel::ConcurrentQueue<int, SmallBlocks> queue(SmallBlocks::BLOCK_SIZE);
  int taken[2] = {};
  std::thread consumers[2];
  require(queue.enqueue(1) && queue.enqueue(2), "room");
  for (int i = 0; i < 2; ++i) consumers[i] = std::thread([&, i] { queue.try_dequeue(taken[i]); });
  require(queue.enqueue(4), "room");
  for (std::thread& consumer : consumers) consumer.join();
  int sum = taken[0] + taken[1];
  for (int item; queue.try_dequeue(item);) sum += item;
  require(sum == 7, "each item comes out once");
}
