// Futures, call_once, shared_mutex and thread_local as libc++ makes them.
// heddle: run
// expect: clean bound 1
// build: libc++
#include <cassert>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

static thread_local int own = 1;

int main() {
  std::once_flag once;
  std::shared_mutex mutex;
  int value = 0;
  const auto work = [&] {
    std::call_once(once, [&] { value = 41; });
    std::shared_lock lock(mutex);
    return value + own;
  };
  auto first = std::async(std::launch::async, work);
  std::thread second(work);
  assert(first.get() == 42);
  second.join();
}
