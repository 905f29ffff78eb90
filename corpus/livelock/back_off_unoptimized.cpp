// Two threads want both mutexes, each in its own order, and give the first back when the second is taken: in lockstep
// for ever. Not optimized: then frames have many slots that nobody has written to.
//
// heddle: run
// expect: bug livelock
// twin: back_off_unoptimized_fixed
// runner: livelock_test.py
#pragma GCC optimize("O0")
#include <mutex>
#include <thread>

static std::mutex left, right;

static void eat(std::mutex& first, std::mutex& second) {
  for (;;) {
    first.lock();
    if (second.try_lock()) break;
    first.unlock();
    std::this_thread::yield();
  }
  second.unlock();
  first.unlock();
}

int main() {
  std::thread one(eat, std::ref(left), std::ref(right)), two(eat, std::ref(right), std::ref(left));
  one.join();
  two.join();
}
