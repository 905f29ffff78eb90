// An update in one instruction.
// heddle: run --patch=yes
// expect: clean complete
// twin: plain_split_update.cpp
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> count{0};

void add() { count.fetch_add(1); }

int main() {
  std::thread first(add), second(add);
  first.join();
  second.join();
  assert(count == 2);
}
