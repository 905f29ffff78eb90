// Two variables that lie in the same eight bytes.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> first{0}, second{0};

int main() {
  std::thread one([] { second.fetch_add(1); });
  std::thread other([] {
    second.fetch_add(1);
    first.fetch_add(7);
  });
  one.join();
  other.join();
  assert(second == 1);
}
