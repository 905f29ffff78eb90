// As back_off_unoptimized.cpp, but both want them in the same order.
//
// heddle: run
// expect: clean bound 4
// twin: back_off_unoptimized
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
  std::thread one(eat, std::ref(left), std::ref(right)), two(eat, std::ref(left), std::ref(right));
  one.join();
  two.join();
}
