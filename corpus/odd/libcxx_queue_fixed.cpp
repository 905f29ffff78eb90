// A blocking queue built with clang and libc++.
// heddle: run
// expect: clean complete
// build: libc++
// twin: libcxx_queue.cpp
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Queue {
 public:
  void push(int item) {
    std::lock_guard guard(mutex_);
    items_.push_back(item);
    filled_.notify_one();
  }
  int pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return !items_.empty(); });
    const int item = items_.front();
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<int> items_;
};

int main() {
  Queue queue;
  std::thread consumer([&] { queue.pop(); });
  std::thread producer([&] { queue.push(1); });
  consumer.join();
  producer.join();
}
