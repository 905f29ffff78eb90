// Looks at a thousand atomics, and yields when it has found nothing. A yield lets others go on, however long the round
// was before it.
// heddle: run --max-steps=8000
// expect: clean bound 0
// twin: livelock/counts_in_and_out.cpp
// build: heddle-cc
#include <atomic>
#include <thread>

enum { kSlots = 1000 };
static std::atomic<int> slots[kSlots];

static bool found() {
  for (auto& slot : slots)
    if (slot.load(std::memory_order_acquire) != 0) return true;
  return false;
}

int main() {
  std::thread other([] {
    slots[1].load();
    slots[kSlots - 1].store(1, std::memory_order_release);
  });
  while (!found()) std::this_thread::yield();
  other.join();
}
