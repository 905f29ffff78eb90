// A latch for two threads, and a third that waits for both.
// heddle: run
// expect: clean complete
// twin: latch_wrong_count.cpp
#include <latch>
#include <thread>

int main() {
  std::latch started(2);
  std::thread first([&] { started.count_down(); });
  std::thread second([&] { started.arrive_and_wait(); });
  started.wait();
  first.join();
  second.join();
}
