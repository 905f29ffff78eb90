// A loop over items, by several tasks of a task library (tasks.h): GAMBIT's test ParallelDo of the .NET 4 task library.
// Bug 1: a feed to which the body adds items. A task takes one before it says that it works, another one believes that
// all is done and closes the feed, and an item comes to a closed feed (assertion).
// Bug 2: an array of items. A task reads the next index first and raises it then; two tasks get one item (assertion).
// Bug 3: a range for each task. An idle task takes half of another range, which it has read in one critical section and
// changes in another; two tasks get one item (assertion).
// build: heddle-c++
#include <atomic>
#include <cassert>
#include <deque>
#include <mutex>
#include <thread>

#include "tasks.h"

#ifdef FIXED
#define IS_BUG(number) false
#else
#define IS_BUG(number) (BUG == (number))
#endif
#ifndef BUG
#define BUG 0
#endif

static const int runners = 2;

// Runs the loop in so many tasks.
template <class Loop>
static void run_loops(const Loop& loop) {
  Pool pool(2);
  pool.run([&](int thread, Task& task) {
    for (int i = 0; i < runners; ++i) {
      pool.spawn(thread, task, [&loop, i](int, Task&) { loop(i); });
    }
  });
}

// Each item is done once.
class Done {
 public:
  void count(int item) { assert(times_[item].fetch_add(1) == 0); }

  void check(int items) const {
    for (int i = 0; i < items; ++i) assert(times_[i] == 1);
  }

 private:
  std::atomic<int> times_[16] = {};
};

class Feed {
 public:
  void add(int item) {
    const std::lock_guard guard(lock_);
    assert(!closed_);
    items_.push_back(item);
  }

  bool take(int& item) {
    std::unique_lock guard(lock_);
    if (items_.empty()) return false;
    item = items_.front();
    items_.pop_front();
    if (IS_BUG(1)) {
      guard.unlock();
      guard.lock();
    }
    ++working_;
    return true;
  }

  void finish_item() {
    const std::lock_guard guard(lock_);
    --working_;
  }

  bool close_if_done() {
    const std::lock_guard guard(lock_);
    if (!items_.empty() || working_ != 0) return false;
    closed_ = true;
    return true;
  }

 private:
  std::mutex lock_;
  std::deque<int> items_;
  int working_ = 0;
  bool closed_ = false;
};

[[maybe_unused]] static void do_feed() {
  const int items = 6;
  Feed feed;
  Done done;
  feed.add(0);
  feed.add(1);
  run_loops([&](int) {
    while (!feed.close_if_done()) {
      int item = 0;
      if (!feed.take(item)) {
        std::this_thread::yield();
        continue;
      }
      done.count(item);
      if (item + 2 < items) feed.add(item + 2);
      feed.finish_item();
    }
  });
  done.check(items);
}

[[maybe_unused]] static void do_array() {
  const int items = 8;
  std::atomic<int> next{0};
  Done done;
  const auto take = [&] {
    if (!IS_BUG(2)) return next.fetch_add(1);
    const int index = next;
    next = index + 1;
    return index;
  };
  run_loops([&](int) {
    for (int i = take(); i < items; i = take()) done.count(i);
  });
  done.check(items);
}

class Range {
 public:
  void set(int begin, int end) {
    const std::lock_guard guard(lock_);
    begin_ = begin;
    end_ = end;
  }

  bool take(int& item) {
    const std::lock_guard guard(lock_);
    if (begin_ >= end_) return false;
    item = begin_++;
    return true;
  }

  // Moves the upper half of the range to another one, which is empty.
  bool split(Range& to) {
    std::unique_lock guard(lock_);
    if (end_ - begin_ < 2) return false;
    const int middle = (begin_ + end_) / 2, end = end_;
    if (IS_BUG(3)) {
      guard.unlock();
      guard.lock();
    }
    end_ = middle;
    guard.unlock();
    to.set(middle, end);
    return true;
  }

 private:
  std::mutex lock_;
  int begin_ = 0, end_ = 0;
};

[[maybe_unused]] static void do_ranges() {
  const int items = 10;
  Range ranges[runners];
  Done done;
  ranges[0].set(0, 2);
  ranges[1].set(2, items);
  run_loops([&](int me) {
    do {
      for (int item = 0; ranges[me].take(item);) done.count(item);
    } while (ranges[1 - me].split(ranges[me]));
  });
  done.check(items);
}

int main() {
#if BUG == 0 || BUG == 1
  do_feed();
#endif
#if BUG == 0 || BUG == 2
  do_array();
#endif
#if BUG == 0 || BUG == 3
  do_ranges();
#endif
}
