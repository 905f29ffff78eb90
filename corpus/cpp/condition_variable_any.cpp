// std::condition_variable_any with a shared lock: both readers are woken.
// heddle: run
// expect: clean bound 2
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

int main() {
  std::shared_mutex mutex;
  std::condition_variable_any changed;
  bool ready = false;
  int woken = 0;
  std::mutex count;
  const auto waiter = [&] {
    std::shared_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
    std::lock_guard guard(count);
    ++woken;
  };
  std::thread first(waiter), second(waiter);
  {
    std::unique_lock lock(mutex);
    ready = true;
  }
  changed.notify_all();
  first.join();
  second.join();
  assert(woken == 2);
}
