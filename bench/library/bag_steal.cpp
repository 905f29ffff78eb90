// A bag with a list for each thread. The owner of a list takes an item without the lock when there are three or more,
// and says so first. A thief holds the lock, and waits for the owner when there are fewer.
// Bug 1: the owner looks how many items there are before it says that it takes one. Thieves in between leave it none,
// and it takes an item that is gone already (assertion).
// Shape of GAMBIT's tests ConcurrentBag of the .NET 4 library.
// build: heddle-c++
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class List {
 public:
  void add(int item) {
    items_[end_] = item;
    ++end_;
  }

  // By the owner.
  int take() {
#if BUG == 1
    const bool many = size() >= 3;
    taking_ = true;
#else
    taking_ = true;
    const bool many = size() >= 3;
#endif
    if (many) {
      const int item = items_[--end_];
      taking_ = false;
      return item;
    }
    taking_ = false;
    const std::lock_guard guard(lock_);
    return size() > 0 ? items_[--end_].load() : none;
  }

  // By another thread.
  int steal() {
    const std::lock_guard guard(lock_);
    if (size() < 3) {
      while (taking_) std::this_thread::yield();
    }
    if (size() <= 0) return none;
    const int item = items_[begin_];
    ++begin_;
    return item;
  }

  static const int none = -1;

 private:
  int size() const { return end_ - begin_; }

  std::mutex lock_;
  std::atomic<bool> taking_{false};
  std::atomic<int> begin_{0}, end_{0};
  std::atomic<int> items_[8] = {};
};

int main() {
  const int count = 5;
  List list;
  std::atomic<int> taken[count] = {};
  const auto count_item = [&](int item) {
    if (item != List::none) assert(taken[item].fetch_add(1) == 0);
  };
  for (int i = 0; i < 3; ++i) list.add(i);
  std::thread owner([&] {
    for (int i = 3; i < count; ++i) {
      list.add(i);
      count_item(list.take());
    }
    for (int i = 0; i < 3; ++i) count_item(list.take());
  });
  const auto steal = [&] {
    for (int i = 0; i < 2; ++i) count_item(list.steal());
  };
  std::thread thieves[] = {std::thread(steal), std::thread(steal)};
  owner.join();
  for (std::thread& thief : thieves) thief.join();
}
