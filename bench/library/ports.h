// A small library for message passing. A dispatcher runs tasks on its worker threads. A port keeps the messages that
// are posted to it. A receiver is called once, in a task of its own, with as many messages as it asks for.
//
// With PORT_SPLIT_MATCH, a port asks whether there are enough messages in one critical section, and takes them in
// another.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

class Dispatcher {
 public:
  using Task = std::function<void()>;

  explicit Dispatcher(int workers) {
    for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  }

  // Runs what is queued, then ends the workers.
  ~Dispatcher() {
    {
      const std::lock_guard guard(lock_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  void run(Task task) {
    {
      const std::lock_guard guard(lock_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void work() {
    std::unique_lock guard(lock_);
    while (true) {
      while (tasks_.empty() && !stopped_) changed_.wait(guard);
      if (tasks_.empty()) return;
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      guard.unlock();
      task();
      guard.lock();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool stopped_ = false;
  std::vector<std::thread> workers_;
};

class Port {
 public:
  using Messages = std::vector<int>;
  using Receiver = std::function<void(const Messages&)>;

  explicit Port(Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  void post(int message) {
    std::unique_lock guard(lock_);
    messages_.push_back(message);
    match(guard);
  }

  // Calls the receiver with the next messages, as soon as there are so many.
  void receive(std::size_t count, Receiver receiver) {
    std::unique_lock guard(lock_);
    receivers_.push_back({count, std::move(receiver)});
    match(guard);
  }

 private:
  struct Waiting {
    std::size_t count;
    Receiver receiver;
  };

  void match(std::unique_lock<std::mutex>& guard) {
    while (!receivers_.empty() && messages_.size() >= receivers_.front().count) {
#ifdef PORT_SPLIT_MATCH
      guard.unlock();
      guard.lock();
      if (receivers_.empty()) return;
#else
      (void)guard;
#endif
      Waiting next = std::move(receivers_.front());
      receivers_.pop_front();
      Messages taken;
      while (taken.size() < next.count && !messages_.empty()) {
        taken.push_back(messages_.front());
        messages_.pop_front();
      }
      dispatcher_.run([receiver = std::move(next.receiver), taken] { receiver(taken); });
    }
  }

  Dispatcher& dispatcher_;
  std::mutex lock_;
  std::deque<int> messages_;
  std::deque<Waiting> receivers_;
};

// Something that one thread says and another one waits for, in a loop that yields.
class Signal {
 public:
  void set() {
    const std::lock_guard guard(lock_);
    set_ = true;
  }

  void wait() {
    while (!is_set()) std::this_thread::yield();
  }

 private:
  bool is_set() {
    const std::lock_guard guard(lock_);
    return set_;
  }

  std::mutex lock_;
  bool set_ = false;
};
