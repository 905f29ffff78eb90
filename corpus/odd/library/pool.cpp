// See pool.h: the worker is joined when the library's static objects are destroyed, after main has returned.
#include "pool.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace {

class Pool {
 public:
  ~Pool() {
    {
      std::lock_guard guard(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    if (worker_.joinable()) worker_.join();
  }
  void run(std::function<void()> task) {
    std::lock_guard guard(mutex_);
    tasks_.push_back(std::move(task));
    if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
    changed_.notify_all();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread worker_;
  bool stop_ = false;
};

Pool pool;

}  // namespace

void run_in_pool(std::function<void()> task) { pool.run(std::move(task)); }
