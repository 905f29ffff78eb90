// A semaphore with a lock and a condition variable, which lets at most two threads in.
// Bug 1: a thread that was woken does not look again whether a place is free. Another one that came by took it, and one
// too many are in (assertion).
// Shape of GAMBIT's test SemaphoreSlim of the .NET 4 library.
// build: plain
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class Semaphore {
 public:
  explicit Semaphore(int count) : count_(count) {}

  void acquire() {
    std::unique_lock guard(lock_);
#if BUG == 1
    if (count_ == 0) freed_.wait(guard);
#else
    while (count_ == 0) freed_.wait(guard);
#endif
    --count_;
  }

  void release() {
    const std::lock_guard guard(lock_);
    ++count_;
    freed_.notify_one();
  }

 private:
  std::mutex lock_;
  std::condition_variable freed_;
  int count_;
};

class Room {
 public:
  void enter() { change(1); }
  void leave() { change(-1); }

 private:
  void change(int number) {
    const std::lock_guard guard(lock_);
    inside_ += number;
    assert(inside_ <= 2);
  }

  std::mutex lock_;
  int inside_ = 0;
};

int main() {
  Semaphore places(2);
  Room room;
  const auto visit = [&] {
    for (int i = 0; i < 3; ++i) {
      places.acquire();
      room.enter();
      room.leave();
      places.release();
    }
  };
  std::thread threads[] = {std::thread(visit), std::thread(visit), std::thread(visit)};
  for (std::thread& thread : threads) thread.join();
}
