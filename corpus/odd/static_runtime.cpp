// The C++ runtime is linked into the program: its waits are system calls of its own. The flag is set after the look at
// it, so the notification may come too early.
// build: static-libstdc++
// heddle: run
// expect: bug deadlock at bound 2
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool ready = false;

static void wait_for_it() {
  {
    std::lock_guard look(mutex);
    if (ready) return;
  }
  std::unique_lock lock(mutex);
  changed.wait(lock);  // without a look at `ready`
}

int main() {
  std::thread waiter(wait_for_it);
  {
    std::lock_guard lock(mutex);
    ready = true;
  }
  changed.notify_one();
  waiter.join();
}
