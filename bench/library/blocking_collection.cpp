// A collection in which takers wait for items. It can be completed: then nothing more is added, and takers go away when
// it is empty and the adders that are in the middle are done.
// Bug 1: an adder looks whether the collection was completed before it says that it is done. When it is completed in
// between, neither of the two wakes the takers (deadlock).
// Shape of GAMBIT's test BlockingCollection of the .NET 4 library.
// build: plain
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class Collection {
 public:
  bool add(int item) {
    {
      const std::lock_guard guard(state_lock_);
      if (completed_) return false;
      ++adders_;
    }
    {
      const std::lock_guard guard(items_lock_);
      items_.push_back(item);
      changed_.notify_one();
    }
    leave();
    return true;
  }

  void complete() {
    bool last = false;
    {
      const std::lock_guard guard(state_lock_);
      completed_ = true;
      last = adders_ == 0;
    }
    if (last) close();
  }

  bool take(int& item) {
    std::unique_lock guard(items_lock_);
    while (items_.empty() && !closed_) changed_.wait(guard);
    if (items_.empty()) return false;
    item = items_.front();
    items_.pop_front();
    return true;
  }

 private:
  void leave() {
    std::unique_lock guard(state_lock_);
#if BUG == 1
    const bool completed = completed_;
    guard.unlock();
    guard.lock();
    const bool last = --adders_ == 0 && completed;
#else
    const bool last = --adders_ == 0 && completed_;
#endif
    guard.unlock();
    if (last) close();
  }

  void close() {
    const std::lock_guard guard(items_lock_);
    closed_ = true;
    changed_.notify_all();
  }

  std::mutex state_lock_, items_lock_;
  std::condition_variable changed_;
  std::deque<int> items_;
  int adders_ = 0;
  bool completed_ = false, closed_ = false;
};

int main() {
  Collection collection;
  int added[2] = {}, taken[2] = {};
  std::thread adders[2], takers[2];
  for (int me = 0; me < 2; ++me) {
    adders[me] = std::thread([&, me] {
      for (int i = 0; i < 3; ++i) added[me] += collection.add(i);
    });
    takers[me] = std::thread([&, me] {
      for (int item = 0; collection.take(item);) ++taken[me];
    });
  }
  adders[0].join();
  collection.complete();
  adders[1].join();
  for (std::thread& taker : takers) taker.join();
  assert(added[0] + added[1] == taken[0] + taken[1]);
}
