// Two threads take two locks by std::scoped_lock, named in opposite orders. Both may back off in every round, if each
// is always stopped where it hurts most; that is no bug.
// heddle: run
// expect: clean bound 2
// twin: two_locks.cpp
#include <cassert>
#include <mutex>
#include <thread>

namespace {
std::mutex one, other;
int count = 0;

void add(std::mutex& first, std::mutex& second) {
  const std::scoped_lock both(first, second);
  ++count;
}
}  // namespace

int main() {
  std::thread thread([] { add(other, one); });
  add(one, other);
  thread.join();
  assert(count == 2);
}
