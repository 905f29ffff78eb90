// Two customers and one item: whoever comes second goes away.
// heddle: run
// expect: clean complete
// twin: fails_at_two_places.cpp
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static int customers;
static std::vector<int> shelf{1};

static bool comes_second() {
  const std::lock_guard guard(lock);
  return ++customers == 2;
}

static void buy() {
  if (!comes_second()) shelf.at(0) = 0;
}

int main() {
  std::thread first(buy), second(buy);
  first.join();
  second.join();
}
