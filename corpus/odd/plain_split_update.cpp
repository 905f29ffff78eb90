// An update in two halves, both of which are plain instructions on this processor: with --patch=yes they stay unseen,
// and a line says so. Built by heddle-c++ it is found (corpus/atomics).
// heddle: run --patch=yes
// expect: bug assertion at bound 1
// needs: memory points
// today: clean complete
// says: plain loads and stores, yours and your libraries', ran uninterrupted
// twin: plain_split_update_fixed.cpp
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> count{0};

void add() { count.store(count.load(std::memory_order_acquire) + 1, std::memory_order_release); }

int main() {
  std::thread first(add), second(add);
  first.join();
  second.join();
  assert(count == 2);
}
