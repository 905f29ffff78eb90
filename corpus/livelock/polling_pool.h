// A thread pool that polls: what its workers do when there is nothing to do is the program's.
#pragma once
#include <atomic>
#include <cassert>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

class PollingPool {
 public:
  PollingPool(int workers, void (*idle)()) {
    for (int i = 0; i < workers; ++i)
      threads_.emplace_back([this, idle] {
        for (;;) {
          void (*task)() = nullptr;
          const bool last_round = stop_;  // before looking: whatever was submitted before the end is found
          {
            const std::lock_guard<std::mutex> guard(mutex_);
            if (!tasks_.empty()) {
              task = tasks_.front();
              tasks_.pop_front();
            }
          }
          if (task != nullptr)
            task();
          else if (last_round)
            return;
          else
            idle();
        }
      });
  }
  ~PollingPool() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  void submit(void (*task)()) {
    const std::lock_guard<std::mutex> guard(mutex_);
    tasks_.push_back(task);
  }

 private:
  std::mutex mutex_;
  std::deque<void (*)()> tasks_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

inline std::atomic<int> done{0};

inline int run_two_tasks(void (*idle)()) {
  {
    PollingPool pool(1, idle);
    pool.submit([] { ++done; });
    pool.submit([] { ++done; });
  }
  assert(done == 2);
  return 0;
}
