// The work-stealing queue of the CHESS papers: the owner pushes and pops at the tail without a lock, thieves take from
// the head under one. Written anew; three ways to get it wrong are switched on by `kBug`.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cassert>
#include <thread>

enum class QueueBug {
  None,
  StealLooksFirst,  // the thief compares with the tail before it has published the new head
  PopTakesLate,     // the owner compares with the head before it has published the new tail
  SlowPopUnlocked,  // the owner settles the race for the last item without the lock
};

template <QueueBug kBug>
class WorkStealingQueue {
 public:
  void push(int item) {
    const long tail = tail_.load();
    items_[tail & kMask].store(item);
    tail_.store(tail + 1);
  }

  bool pop(int& item) {
    const long tail = tail_.load() - 1;
    if constexpr (kBug == QueueBug::PopTakesLate) {
      if (head_.load() <= tail) {
        item = items_[tail & kMask].load();
        tail_.store(tail);
        return true;
      }
      return slow_pop(item);
    }
    tail_.exchange(tail);
    if (head_.load() <= tail) {
      item = items_[tail & kMask].load();
      return true;
    }
    tail_.store(tail + 1);
    return slow_pop(item);
  }

  bool steal(int& item) {
    pthread_mutex_lock(&thieves_);
    const long head = head_.load();
    bool found;
    if constexpr (kBug == QueueBug::StealLooksFirst) {
      found = head < tail_.load();
      if (found) head_.exchange(head + 1);
    } else {
      head_.exchange(head + 1);
      found = head < tail_.load();
      if (!found) head_.store(head);
    }
    if (found) item = items_[head & kMask].load();
    pthread_mutex_unlock(&thieves_);
    return found;
  }

 private:
  static constexpr long kMask = 7;

  bool slow_pop(int& item) {
    if constexpr (kBug == QueueBug::SlowPopUnlocked) return slow_pop_locked(item);
    pthread_mutex_lock(&thieves_);
    const bool found = slow_pop_locked(item);
    pthread_mutex_unlock(&thieves_);
    return found;
  }

  bool slow_pop_locked(int& item) {
    const long tail = tail_.load() - 1;
    tail_.exchange(tail);
    if (head_.load() <= tail) {
      item = items_[tail & kMask].load();
      return true;
    }
    tail_.store(tail + 1);
    return false;
  }

  std::atomic<long> head_{0};
  std::atomic<long> tail_{0};
  std::atomic<int> items_[kMask + 1] = {};
  pthread_mutex_t thieves_ = PTHREAD_MUTEX_INITIALIZER;
};

// The developer's own test: an owner and a thief; every item is taken exactly once.
template <QueueBug kBug>
int test_work_stealing_queue() {
  static constexpr int kItems = 4;
  WorkStealingQueue<kBug> queue;
  std::atomic<int> taken[kItems + 1] = {};
  std::thread thief([&] {
    for (int i = 0, item = 0; i < 2; ++i)
      if (queue.steal(item)) ++taken[item];
  });
  int item = 0;
  for (int i = 1; i <= kItems; i += 2) {
    queue.push(i);
    queue.push(i + 1);
    if (queue.pop(item)) ++taken[item];
  }
  while (queue.pop(item)) ++taken[item];
  thief.join();  // what the owner found empty was empty: nothing may be left now
  for (int i = 1; i <= kItems; ++i) assert(taken[i] == 1);
  return 0;
}
