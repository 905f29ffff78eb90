// Michael and Scott's queue.
#include <cds/container/msqueue.h>

#include "cds_hazard.h"

int main() {
  return with_hazard_pointers([] {
    cds::container::MSQueue<cds::gc::HP, int> queue;
    put_and_take(
        Order::Queue, [&](int item) { require(queue.enqueue(item), "room"); },
        [&](int& item) { return queue.dequeue(item); }, kAttached);
  });
}
