// A thread manager removes its workers and waits until none is left, but the last worker says so without the lock
// under which the manager decides to wait: the wake-up is lost. Shape of ThreadManager in Thrift's C++ library, where
// a manager lock guards tasks and counts, and a worker monitor guards the waiting for workers.
// build: plain
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#ifndef WORKERS
#define WORKERS 2
#endif

static const int tasks = 5;

class Manager {
 public:
  void add_workers(int count) {
    {
      const std::lock_guard guard(lock_);
      wanted_ += count;
    }
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
    std::unique_lock guard(worker_lock_);
    while (!complete()) workers_changed_.wait(guard);
  }

  void add_task(int task) {
    const std::lock_guard guard(lock_);
    tasks_.push(task);
    task_added_.notify_one();
  }

  void remove_workers(int count) {
    {
      const std::lock_guard guard(lock_);
      wanted_ -= count;
      task_added_.notify_all();
    }
    std::unique_lock guard(worker_lock_);
    while (!complete()) workers_changed_.wait(guard);
    guard.unlock();
    for (std::thread& thread : threads_) thread.join();
  }

  int sum() {
    const std::lock_guard guard(lock_);
    return sum_;
  }

 private:
  bool complete() {
    const std::lock_guard guard(lock_);
    return workers_ == wanted_;
  }

  void work() {
    if (start()) {
      const std::lock_guard guard(worker_lock_);
      workers_changed_.notify_one();
    }
    while (run_task()) {
    }
    if (!stop()) return;
#ifdef FIXED
    const std::lock_guard guard(worker_lock_);
#endif
    workers_changed_.notify_one();
  }

  bool start() {
    const std::lock_guard guard(lock_);
    return ++workers_ == wanted_;
  }

  bool run_task() {
    std::unique_lock guard(lock_);
    task_added_.wait(guard, [this] { return !tasks_.empty() || workers_ > wanted_; });
    if (tasks_.empty()) return false;
    sum_ += tasks_.front();
    tasks_.pop();
    return true;
  }

  bool stop() {
    const std::lock_guard guard(lock_);
    return --workers_ == wanted_;
  }

  std::mutex lock_, worker_lock_;
  std::condition_variable task_added_, workers_changed_;
  std::queue<int> tasks_;
  std::vector<std::thread> threads_;
  int workers_ = 0, wanted_ = 0, sum_ = 0;
};

int main() {
  Manager manager;
  manager.add_workers(WORKERS);
  for (int task = 1; task <= tasks; ++task) manager.add_task(task);
  manager.remove_workers(WORKERS);
  assert(manager.sum() == tasks * (tasks + 1) / 2);
}
