// A thread waits in a loop for a flag that nobody sets, in a plain build: nothing in the loop is a call, or an atomic
// instruction.
// heddle: run --patch=yes
// expect: bug livelock
// twin: plain_wait_fixed.cpp
// runner: patch_test.py
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
  thread.join();
}
