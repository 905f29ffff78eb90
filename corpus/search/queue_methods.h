// Two threads look at a queue many times, and once one puts something in while the other takes it out.
#include <cassert>
#include <deque>
#include <mutex>
#include <thread>

class Queue {
 public:
  void put(int value) {
    std::unique_lock<std::mutex> guard(mutex_);
    values_.push_back(value);
#ifdef COUNTED_LATER
    guard.unlock();
    guard.lock();
#endif
    ++count_;
  }
  bool take() {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (values_.empty()) return false;
    values_.pop_front();
    assert(--count_ >= 0);
    return true;
  }
  int count() {
    const std::lock_guard<std::mutex> guard(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::deque<int> values_;
  int count_ = 0;
};

static Queue queue;

static void look() {
  for (int i = 0; i < 4; ++i) queue.count();
}

int main() {
  std::thread producer([] {
    look();
    queue.put(1);
    look();
  });
  std::thread consumer([] {
    look();
    queue.take();
    look();
  });
  producer.join();
  consumer.join();
}
