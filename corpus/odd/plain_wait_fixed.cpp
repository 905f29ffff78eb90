// A thread waits in a loop for a flag that another one sets, in a plain build. Both the loop's load and the store are
// plain instructions; the loop must let the other go on.
// heddle: run --patch=yes
// expect: clean complete
// twin: plain_wait.cpp
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> ready{false};
int data = 0;

void wait() {
  while (!ready.load(std::memory_order_acquire)) {
  }
  assert(data == 1);
}

int main() {
  std::thread thread(wait);
  data = 1;
  ready.store(true, std::memory_order_release);
  thread.join();
}
