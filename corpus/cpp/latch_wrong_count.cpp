// A latch that counts one more than there are.
// heddle: run
// expect: bug deadlock at bound 0
// twin: latch.cpp
#include <latch>
#include <thread>

int main() {
  std::latch started(3);
  std::thread first([&] { started.count_down(); });
  std::thread second([&] { started.arrive_and_wait(); });
  started.wait();
  first.join();
  second.join();
}
