// moodycamel::BlockingConcurrentQueue: the consumer waits at a semaphore.
#include <concurrentqueue/blockingconcurrentqueue.h>

#include "structure_test.h"

int main() {
  moodycamel::BlockingConcurrentQueue<int*> queue;
  hand_over([&](int* value) { return queue.enqueue(value); },
            [&](int*& value) {
              queue.wait_dequeue(value);
              return true;
            });
}
