// An event stays set until it is reset. Who sets it takes the lock only when somebody waits.
// Bug 1: a waiter looks at the event and says afterwards that it waits. An event that is set in between wakes nobody
// (deadlock).
// Shape of GAMBIT's test ManualResetEventSlim of the .NET 4 library.
// build: heddle-c++
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class Event {
 public:
  void set() {
    set_ = true;
    if (waiters_ == 0) return;
    const std::lock_guard guard(lock_);
    changed_.notify_all();
  }

  void reset() { set_ = false; }

  void wait() {
    for (int tries = 0; tries < 2; ++tries) {
      if (set_) return;
      std::this_thread::yield();
    }
    std::unique_lock guard(lock_);
#if BUG == 1
    while (!set_) {
      ++waiters_;
      changed_.wait(guard);
      --waiters_;
    }
#else
    ++waiters_;
    while (!set_) changed_.wait(guard);
    --waiters_;
#endif
  }

 private:
  std::atomic<bool> set_{false};
  std::atomic<int> waiters_{0};
  std::mutex lock_;
  std::condition_variable changed_;
};

int main() {
  const int rounds = 4;
  Event asked, answered;
  std::thread asker([&] {
    for (int i = 0; i < rounds; ++i) {
      asked.set();
      answered.wait();
      answered.reset();
    }
  });
  std::thread answerer([&] {
    for (int i = 0; i < rounds; ++i) {
      asked.wait();
      asked.reset();
      answered.set();
    }
  });
  asker.join();
  answerer.join();
}
