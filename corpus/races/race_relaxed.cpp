// Relaxed accesses to a flag order nothing.
// heddle: run
// expect: bug data race
// says: value
// twin: races/ordered_by_atomics.cpp
// build: heddle-cc clang
#include <atomic>
#include <thread>

static int value;
static std::atomic<int> flag;

int main() {
  std::thread writer([] {
    value = 1;
    flag.store(1, std::memory_order_relaxed);
  });
  if (flag.load(std::memory_order_relaxed) == 1 && value != 1) __builtin_trap();
  writer.join();
}
