// A loop of waits of ten milliseconds ends.
// heddle: run
// expect: clean bound 2
// twin: timeout_too_short.cpp
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
    while (!changed.wait_for(lock, 10ms, [&] { return ready; })) {
    }
  }
  producer.join();
}
