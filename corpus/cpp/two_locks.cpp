// Two threads take two locks, in opposite orders.
// heddle: run
// expect: bug deadlock at bound 1
// twin: two_locks_fixed.cpp
#include <cassert>
#include <mutex>
#include <thread>

namespace {
std::mutex one, other;
int count = 0;

void add(std::mutex& first, std::mutex& second) {
  const std::lock_guard outer(first);
  const std::lock_guard inner(second);
  ++count;
}
}  // namespace

int main() {
  std::thread thread([] { add(other, one); });
  add(one, other);
  thread.join();
  assert(count == 2);
}
