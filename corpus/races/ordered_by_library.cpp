// What the C++ library orders: a latch, a future, a reference count, waiting for an atomic.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// twin: races/race_relaxed.cpp
// build: heddle-cc
#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <thread>

int main() {
  int value = 0, seen = 0;
  std::latch ready(1);
  std::atomic<int> turn{0};
  std::promise<int> promise;
  auto shared = std::make_shared<int>(0);
  std::thread worker([&, copy = shared]() mutable {
    ready.wait();
    seen = value;
    copy.reset();
    promise.set_value(value);
    seen = 2;
    turn.store(1);
    turn.notify_one();
  });
  value = 1;
  shared.reset();
  ready.count_down();
  if (promise.get_future().get() != 1) __builtin_trap();
  turn.wait(0);
  if (seen != 2) __builtin_trap();
  worker.join();
}
