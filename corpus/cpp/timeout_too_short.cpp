// A wait of ten milliseconds is long enough, until it is not.
// heddle: run
// expect: bug assertion at bound 1
// says: time
// twin: wait_for_in_a_loop.cpp
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

int main() {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::thread producer([&] {
    std::lock_guard guard(mutex);
    ready = true;
    changed.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    const bool in_time = changed.wait_for(lock, 10ms, [&] { return ready; });
    assert(in_time);
  }
  producer.join();
}
