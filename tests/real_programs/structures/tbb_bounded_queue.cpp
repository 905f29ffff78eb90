// Waits inside libtbb.so, which is not instrumented.
#include <tbb/concurrent_queue.h>

#include "structure_test.h"

int main() {
  tbb::concurrent_bounded_queue<int*> queue;
  queue.set_capacity(1);
  hand_over(
      [&](int* value) {
        queue.push(value);
        return true;
      },
      [&](int*& value) {
        queue.pop(value);
        return true;
      });
  require(queue.empty(), "empty, when as many were taken as put");
}
