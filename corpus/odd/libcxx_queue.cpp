// A blocking queue built with clang and libc++: the predicate is looked at outside the lock.
// heddle: run
// expect: bug deadlock at bound 1
// build: libc++
// twin: libcxx_queue_fixed.cpp
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Queue {
 public:
  void push(int item) {
    std::lock_guard guard(mutex_);
    items_.push_back(item);
    ++size_;
    filled_.notify_one();
  }
  int pop() {
    const bool empty = size_ == 0;
    std::unique_lock lock(mutex_);
    if (empty) filled_.wait(lock);
    const int item = items_.front();
    items_.pop_front();
    --size_;
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<int> items_;
  std::atomic<int> size_{0};
};

int main() {
  Queue queue;
  std::thread consumer([&] { queue.pop(); });
  std::thread producer([&] { queue.push(1); });
  consumer.join();
  producer.join();
}
