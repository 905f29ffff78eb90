// A GoogleTest binary as people have them: several tests, of which one is flaky.
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace {

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
  bool empty() {
    std::lock_guard guard(mutex_);
    return items_.empty();
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<int> items_;
};

TEST(Queue, HandsOver) {
  Queue queue;
  std::thread producer([&] { queue.push(1); });
  EXPECT_EQ(queue.pop(), 1);
  producer.join();
}

TEST(Queue, KeepsOrder) {
  Queue queue;
  std::thread producer([&] {
    queue.push(1);
    queue.push(2);
  });
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
  producer.join();
}

// Flaky: the producer need not have been there yet.
TEST(Queue, Drains) {
  Queue queue;
  queue.push(1);
  std::thread producer([&] { queue.push(2); });
  std::thread consumer([&] {
    if (!queue.empty()) queue.pop();
  });
  consumer.join();
  EXPECT_FALSE(queue.empty()) << "the producer's item is missing";
  producer.join();
}

TEST(Arithmetic, HasNoThreads) { EXPECT_EQ(1 + 1, 2); }

}  // namespace
