// std::shared_mutex and shared_timed_mutex: readers together, writers alone.
// heddle: run
// expect: clean bound 2
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

int main() {
  std::shared_mutex mutex;
  std::shared_timed_mutex timed;
  int value = 0;
  std::thread writer([&] {
    std::unique_lock lock(mutex);
    assert(!mutex.try_lock_shared());
    value = 1;
    value = 2;
  });
  std::thread reader([&] {
    std::shared_lock lock(mutex);
    assert(value != 1);
    std::shared_lock other(timed, 1ms);
  });
  {
    std::shared_lock lock(mutex);
    assert(value != 1);
  }
  writer.join();
  reader.join();
  assert(timed.try_lock());
  timed.unlock();
}
