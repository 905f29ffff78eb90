// moodycamel::ReaderWriterQueue: for one producer and one consumer, growing.
#include <readerwriterqueue/readerwriterqueue.h>

#include "structure_test.h"

int main() {
  moodycamel::ReaderWriterQueue<int*> queue(1);
  hand_over([&](int* value) { return queue.enqueue(value); }, [&](int*& value) { return queue.try_dequeue(value); });
  require(queue.peek() == nullptr, "empty, when as many were taken as put");
}
