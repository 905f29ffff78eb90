// A thread waits for a flag: it spins for 64 microseconds by the clock, then it parks. Only a slow thread comes to
// park, since the others need no time.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using Clock = std::chrono::steady_clock;

static std::atomic<bool> ready{false};
static std::mutex gate;
static std::condition_variable changed;

static void wait_until_ready() {
  const auto begin = Clock::now();
  while (!ready.load()) {
    if (Clock::now() - begin > std::chrono::microseconds(64)) {
      std::unique_lock<std::mutex> lock(gate);
      while (!ready.load()) changed.wait(lock);
      return;
    }
    std::this_thread::yield();
  }
}

static void make_ready() {
  {
#ifdef LOCKS
    std::lock_guard<std::mutex> lock(gate);
#endif
    ready.store(true);
  }
  changed.notify_one();
}

int main() {
  std::thread maker(make_ready);
  wait_until_ready();
  maker.join();
}
