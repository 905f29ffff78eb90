// What one-time initialization orders: std::call_once and a static local.
// heddle: run
// expect: clean complete
// twin: races/race_counter.c
// build: heddle-cc
#include <mutex>
#include <thread>
#include <vector>

static std::once_flag once;
static std::vector<int> made;

static const std::vector<int>& table() {
  static const std::vector<int> numbers = {1, 2, 3};
  return numbers;
}

static void use() {
  std::call_once(once, [] { made.push_back(1); });
  if (made.size() + table().size() != 4) __builtin_trap();
}

int main() {
  std::thread one(use), other(use);
  one.join();
  other.join();
}
