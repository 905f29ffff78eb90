// A queue of the program's own atomics that loses an item when two producers meet. Nothing in it calls a library. But a
// sequentially consistent store is an xchg, which is a scheduling point with --patch=yes.
// heddle: run --patch=yes
// expect: bug assertion at bound 1
// says: with 1 preemption
// twin: atomic_queue_fixed.cpp
#include <atomic>
#include <cassert>
#include <thread>

class Queue {
 public:
  void push(int item) {
    const int at = count_.load();
    items_[at].store(item);
    count_.store(at + 1);  // the bug: another item may have been put there
  }
  int size() const { return count_.load(); }

 private:
  std::atomic<int> items_[4] = {};
  std::atomic<int> count_{0};
};

int main() {
  Queue queue;
  std::thread first([&] { queue.push(1); });
  std::thread second([&] { queue.push(2); });
  first.join();
  second.join();
  assert(queue.size() == 2);
}
