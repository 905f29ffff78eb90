// A queue of the program's own atomics, correct: a place is taken in one step.
// heddle: run --patch=yes
// expect: clean complete
// says: plain loads and stores, yours and your libraries', ran uninterrupted
// twin: atomic_queue.cpp
#include <atomic>
#include <cassert>
#include <thread>

class Queue {
 public:
  void push(int item) { items_[count_.fetch_add(1)].store(item); }
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
