// A barrier with a lock, a count and a condition variable. When all have arrived, the last one adds up what they have
// brought, and all go on and read the sum.
// Bug 1: the last one lets the others go before it adds up. Who is fast reads the sum of the phase before (assertion).
// Shape of GAMBIT's tests of a barrier of the .NET 4 library.
// build: plain
#include <cassert>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class Barrier {
 public:
  Barrier(int threads, std::function<void()> action) : threads_(threads), action_(std::move(action)) {}

  void arrive_and_wait() {
    std::unique_lock guard(lock_);
    if (++arrived_ < threads_) {
      const int mine = phase_;
      while (phase_ == mine) all_.wait(guard);
      return;
    }
    arrived_ = 0;
#if BUG != 1
    action_();
#endif
    ++phase_;
    all_.notify_all();
    guard.unlock();
#if BUG == 1
    action_();
#endif
  }

 private:
  std::mutex lock_;
  std::condition_variable all_;
  int threads_, arrived_ = 0, phase_ = 0;
  std::function<void()> action_;
};

class Sums {
 public:
  void bring(int part) {
    const std::lock_guard guard(lock_);
    parts_ += part;
  }

  void add_up() {
    const std::lock_guard guard(lock_);
    sum_ = parts_;
  }

  int sum() {
    const std::lock_guard guard(lock_);
    return sum_;
  }

 private:
  std::mutex lock_;
  int parts_ = 0, sum_ = 0;
};

int main() {
  const int count = 3;
  Sums sums;
  Barrier barrier(count, [&] { sums.add_up(); });
  const auto work = [&](int part) {
    for (int phase = 1; phase <= 3; ++phase) {
      sums.bring(part);
      barrier.arrive_and_wait();
      assert(sums.sum() == 6 * phase);
      barrier.arrive_and_wait();
    }
  };
  std::thread threads[] = {std::thread(work, 1), std::thread(work, 2), std::thread(work, 3)};
  for (std::thread& thread : threads) thread.join();
}
