// A timer is cancelled before its object is released, but nobody waits for a callback that runs already.
// Shape of the kernel's races between timers and release, which ended in functions that cancel and wait.
// build: heddle-c++
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable ended;
static bool armed = true, running, released;
static int ticks;

static void callback() {
  assert(!released);
  ++ticks;
}

static void timer() {
  std::unique_lock guard(lock);
  if (!armed) return;
  armed = false;
  running = true;
  guard.unlock();
  callback();
  guard.lock();
  running = false;
  ended.notify_all();
}

static void release() {
  std::unique_lock guard(lock);
  armed = false;
#ifdef FIXED
  ended.wait(guard, [] { return !running; });
#endif
  guard.unlock();
  released = true;
}

int main() {
  std::thread threads[] = {std::thread(timer), std::thread(release)};
  for (std::thread& thread : threads) thread.join();
}
