// What a release and an acquire order; and relaxed accesses with fences.
// heddle: run
// expect: clean complete
// twin: races/race_relaxed.cpp
// build: heddle-cc
#include <atomic>
#include <thread>

static int value, another;
static std::atomic<int> flag, relaxed_flag;

int main() {
  std::thread writer([] {
    value = 1;
    flag.store(1, std::memory_order_release);
    another = 1;
    std::atomic_thread_fence(std::memory_order_release);
    relaxed_flag.store(1, std::memory_order_relaxed);
  });
  if (flag.load(std::memory_order_acquire) == 1 && value != 1) __builtin_trap();
  if (relaxed_flag.load(std::memory_order_relaxed) == 1) {
    std::atomic_thread_fence(std::memory_order_acquire);
    if (another != 1) __builtin_trap();
  }
  writer.join();
}
