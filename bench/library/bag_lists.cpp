// A bag with a list for each thread. Who finds its own list empty moves half of another one there. A thread that finds
// all of them empty locks all and looks again, as an item may move from a list that it will see to one that it saw.
// Bug 1: the second look is missing, and the bag says that it is empty while items are in it (assertion).
// Shape of GAMBIT's tests ConcurrentBag of the .NET 4 library.
// build: plain
#include <cassert>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class Bag {
 public:
  void add(int me, int item) {
    const std::lock_guard guard(lists_[me].lock);
    lists_[me].items.push_back(item);
  }

  bool take(int me, int& item) {
    if (pop(lists_[me], item)) return true;
    for (int i = 1; i < threads; ++i) {
      if (steal(lists_[(me + threads - i) % threads], lists_[me], item)) return true;
    }
#if BUG == 1
    return false;
#else
    return take_from_all(item);
#endif
  }

  static const int threads = 3;

 private:
  struct List {
    std::mutex lock;
    std::vector<int> items;
  };

  static bool pop_locked(List& list, int& item) {
    if (list.items.empty()) return false;
    item = list.items.back();
    list.items.pop_back();
    return true;
  }

  static bool pop(List& list, int& item) {
    const std::lock_guard guard(list.lock);
    return pop_locked(list, item);
  }

  static bool steal(List& from, List& to, int& item) {
    const std::scoped_lock guard(from.lock, to.lock);
    const std::size_t moved = from.items.size() / 2;
    for (std::size_t i = 0; i < moved; ++i) {
      to.items.push_back(from.items.back());
      from.items.pop_back();
    }
    return pop_locked(from, item);
  }

  bool take_from_all(int& item) {
    const std::scoped_lock guard(lists_[0].lock, lists_[1].lock, lists_[2].lock);
    for (List& list : lists_) {
      if (pop_locked(list, item)) return true;
    }
    return false;
  }

  List lists_[threads];
};

int main() {
  Bag bag;
  for (int i = 0; i < 15; ++i) bag.add(0, i);
  const auto work = [&](int me) {
    for (int i = 0; i < 5; ++i) {
      int item = -1;
      const bool taken = bag.take(me, item);
      assert(taken);
    }
  };
  std::thread threads[] = {std::thread(work, 0), std::thread(work, 1), std::thread(work, 2)};
  for (std::thread& thread : threads) thread.join();
}
