// Two items are put in; one thread takes the first, and main the second. What main reads as the queue's head was
// written by the other one with memory_order_acquire only, so main need not see what its producer has put into that
// node.
#include <cds/container/msqueue.h>

#include "cds_hazard.h"

// What the queue's nodes get was used before: --fill=junk shows what was read too early.
void use_blocks() {
  std::array<void*, 64> blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = std::malloc(16 + 16 * (i % 8));
  for (void* block : blocks) std::free(block);
}

int main() {
  return with_hazard_pointers([] {
    use_blocks();
    cds::container::MSQueue<cds::gc::HP, int> queue;
    int first = 0, second = 0;
    bool got_first = false;
    std::thread producer([&] {
      kAttached.begin();
      queue.enqueue(1);
      queue.enqueue(2);
      kAttached.end();
    });
    std::thread consumer([&] {
      kAttached.begin();
      got_first = queue.dequeue(first);
      kAttached.end();
    });
    const bool got_second = queue.dequeue(second);
    producer.join();
    consumer.join();
    require(!got_first || !got_second || first + second == 3, "each item comes out once");
  });
}
