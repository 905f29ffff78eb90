// A small task library. A pool has worker threads, each with a list of tasks, from which idle ones steal; the thread
// that made the pool works as well while it waits. A task is complete when it and all of its children are done. Then
// its result is added to the one of its parent. A thread also tries to run the children of its task itself.
//
// With TASKS_LOST_COUNT, how many children are open is read first and written then.
// With TASKS_LATE_CHILD, a child is counted only when it is in the list already.
// With TASKS_SPLIT_STEAL, a thief looks for a task in one critical section and takes it in another.
// With TASKS_SPLIT_CLAIM, who runs a task looks first whether another thread does, and claims it then.
// With TASKS_LATE_RESULT, a child counts as complete before its result is added.
// With TASKS_EARLY_FREE, a task is given back before its parent is read from it.
#pragma once
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

class Task;

// What a task does. It gets the number of the thread that runs it, and the task itself.
using Body = std::function<void(int thread, Task& task)>;

class Task {
 public:
  void add_result(int result) { result_.fetch_add(result); }

 private:
  friend class Pool;

  void begin(Task* parent, Body body) {
    parent_ = parent;
    body_ = std::move(body);
    open_ = 1;
    holders_ = 3;
    claimed_ = false;
    result_ = 0;
    children_.clear();
  }

  // One thread only may run the task.
  bool claim() {
#ifdef TASKS_SPLIT_CLAIM
    if (claimed_) return false;
    claimed_ = true;
    return true;
#else
    return !claimed_.exchange(true);
#endif
  }

  // The task itself, or a child of it, is done. Says whether it was the last.
  bool close() {
#ifdef TASKS_LOST_COUNT
    const int left = open_ - 1;
    open_ = left;
#else
    const int left = open_.fetch_sub(1) - 1;
#endif
    assert(left >= 0);
    return left == 0;
  }

  Task* parent_ = nullptr;
  Body body_;
  std::atomic<int> open_{0};     // itself and its children
  std::atomic<int> holders_{0};  // the list that it is in, the thread that spawned it, and until it is complete
  std::atomic<bool> claimed_{false};
  std::atomic<int> result_{0};
  std::vector<Task*> children_;
};

class Pool {
 public:
  explicit Pool(int workers) : lists_(workers + 1) {
    for (int i = 1; i <= workers; ++i) workers_.emplace_back([this, i] { work(i); });
  }

  ~Pool() {
    {
      const std::lock_guard guard(idle_lock_);
      stopped_ = true;
    }
    woken_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  // Runs the task and what it spawns, and returns the sum of the results.
  int run(Body body) {
    done_ = false;
    Task* const root = make(nullptr, std::move(body));
    push(0, root);
    while (!done_) {
      if (!run_one(0)) std::this_thread::yield();
    }
    drop(root);
    return result_;
  }

  void spawn(int thread, Task& parent, Body body) {
    Task* const task = make(&parent, std::move(body));
    parent.children_.push_back(task);
#ifdef TASKS_LATE_CHILD
    push(thread, task);
    ++parent.open_;
#else
    ++parent.open_;
    push(thread, task);
#endif
  }

 private:
  struct List {
    std::mutex lock;
    std::deque<Task*> tasks;
  };

  Task* make(Task* parent, Body body) {
    const std::lock_guard guard(free_lock_);
    if (free_.empty()) {
      all_.push_back(std::make_unique<Task>());
      free_.push_back(all_.back().get());
    }
    Task* const task = free_.back();
    free_.pop_back();
    task->begin(parent, std::move(body));
    return task;
  }

  void drop(Task* task) {
    if (task->holders_.fetch_sub(1) != 1) return;
    const std::lock_guard guard(free_lock_);
    free_.push_back(task);
  }

  void push(int thread, Task* task) {
    {
      const std::lock_guard guard(lists_[thread].lock);
      lists_[thread].tasks.push_back(task);
    }
    const std::lock_guard guard(idle_lock_);
    ++queued_;
    woken_.notify_one();
  }

  static Task* pop(List& list) {
    const std::lock_guard guard(list.lock);
    if (list.tasks.empty()) return nullptr;
    Task* const task = list.tasks.back();
    list.tasks.pop_back();
    return task;
  }

  static Task* steal(List& list) {
    std::unique_lock guard(list.lock);
    if (list.tasks.empty()) return nullptr;
#ifdef TASKS_SPLIT_STEAL
    guard.unlock();
    guard.lock();
#endif
    assert(!list.tasks.empty());
    Task* const task = list.tasks.front();
    list.tasks.pop_front();
    return task;
  }

  Task* take(int thread) {
    const int threads = static_cast<int>(lists_.size());
    Task* task = pop(lists_[thread]);
    for (int i = 1; task == nullptr && i < threads; ++i) task = steal(lists_[(thread + i) % threads]);
    if (task == nullptr) return nullptr;
    const std::lock_guard guard(idle_lock_);
    --queued_;
    return task;
  }

  bool run_one(int thread) {
    Task* const task = take(thread);
    if (task == nullptr) return false;
    const bool mine = task->claim();
    drop(task);
    if (mine) run_claimed(thread, task);
    return true;
  }

  void run_claimed(int thread, Task* task) {
    task->body_(thread, *task);
    for (Task* child : task->children_) {
      if (child->claim()) run_claimed(thread, child);
      drop(child);
    }
    finish(task);
  }

  static bool close_child_of(Task& parent, int result) {
#ifdef TASKS_LATE_RESULT
    const bool last = parent.close();
    parent.add_result(result);
    return last;
#else
    parent.add_result(result);
    return parent.close();
#endif
  }

  void finish(Task* task) {
    bool complete = task->close();
    while (complete) {
      const int result = task->result_;
#ifdef TASKS_EARLY_FREE
      drop(task);
      Task* const parent = task->parent_;
#else
      Task* const parent = task->parent_;
      drop(task);
#endif
      if (parent == nullptr) {
        result_ = result;
        done_ = true;
        return;
      }
      complete = close_child_of(*parent, result);
      task = parent;
    }
  }

  void work(int thread) {
    while (true) {
      if (run_one(thread)) continue;
      std::unique_lock guard(idle_lock_);
      while (queued_ <= 0 && !stopped_) woken_.wait(guard);
      if (stopped_) return;
      guard.unlock();
      std::this_thread::yield();
    }
  }

  std::vector<List> lists_;
  std::mutex free_lock_, idle_lock_;
  std::condition_variable woken_;
  std::vector<std::unique_ptr<Task>> all_;
  std::vector<Task*> free_;
  int queued_ = 0;
  bool stopped_ = false;
  std::atomic<bool> done_{false};
  std::atomic<int> result_{0};
  std::vector<std::thread> workers_;
};
