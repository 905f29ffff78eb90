// std::counting_semaphore and binary_semaphore: hand-over in both directions, and a timed attempt.
// heddle: run
// expect: clean bound 1
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

using namespace std::chrono_literals;

int main() {
  std::counting_semaphore<4> filled(0);
  std::binary_semaphore emptied(1);
  int slot = 0, sum = 0;
  std::thread producer([&] {
    for (int i = 1; i <= 2; ++i) {
      emptied.acquire();
      slot = i;
      filled.release();
    }
  });
  for (int i = 0; i < 2; ++i) {
    while (!filled.try_acquire_for(1ms)) {
    }
    sum += slot;
    emptied.release();
  }
  producer.join();
  assert(sum == 3);
  assert(!filled.try_acquire());
}
