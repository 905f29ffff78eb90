// The timer thread drops its reference to a timer under its lock. Where it is the last one, the timer removes itself
// from the thread's list, for which it takes the lock again. Shape of Mozilla's TimerThread. A deadlock of one lock.
// build: plain
#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

static std::mutex lock, fired_lock;
static std::condition_variable changed, fired;
static int timers = 1, firings;

struct Timer {
  ~Timer() {
    const std::lock_guard guard(lock);
    --timers;
  }
  void fire() {
    const std::lock_guard guard(fired_lock);
    ++firings;
    fired.notify_one();
  }
};

static std::shared_ptr<Timer> due;

static void run_timers() {
  std::unique_lock guard(lock);
  changed.wait(guard, [] { return due != nullptr; });
  std::shared_ptr<Timer> timer = std::move(due);
  guard.unlock();
  timer->fire();
#ifndef FIXED
  guard.lock();
#endif
  timer.reset();
}

static void add_timer(const std::shared_ptr<Timer>& timer) {
  const std::lock_guard guard(lock);
  due = timer;
  changed.notify_one();
}

int main() {
  std::thread thread(run_timers);
  std::shared_ptr<Timer> timer = std::make_shared<Timer>();
  add_timer(timer);
  {
    std::unique_lock guard(fired_lock);
    fired.wait(guard, [] { return firings == 1; });
  }
  timer.reset();
  thread.join();
  assert(timers == 0);
}
