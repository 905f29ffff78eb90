// Yields do not switch the reduction off: three threads, two atomics, and one that polls. Of all schedules, 6 differ.
//
// heddle: run
// expect: clean complete
// says: 6 of them different up to the order of independent steps
// says: or is equivalent to one that was
// build: heddle-cc
#include <atomic>
#include <thread>

int main() {
  static std::atomic<int> x{0}, y{0};
  std::thread both([] {
    x.store(1);
    y.store(1);
  });
  std::thread other([] { x.store(2); });
  while (y.load() == 0) std::this_thread::yield();
  both.join();
  other.join();
}
