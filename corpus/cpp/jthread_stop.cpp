// std::jthread with a stop token and condition_variable_any: the destructor asks the worker to stop and joins it.
// heddle: run
// expect: clean bound 1
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool ready = false, stopped = false;
  {
    std::jthread worker([&](std::stop_token stop) {
      std::unique_lock lock(mutex);
      while (!stop.stop_requested()) changed.wait(lock, stop, [&] { return ready; });
      stopped = true;
    });
    std::lock_guard guard(mutex);
    ready = false;
  }
  assert(stopped);
}
