// std::async, packaged_task, shared_future and wait_for of a future.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

using namespace std::chrono_literals;

int main() {
  auto sum = std::async(std::launch::async, [] { return 1 + 2; });
  std::packaged_task<int(int)> doubling([](int number) { return 2 * number; });
  std::shared_future<int> doubled = doubling.get_future().share();
  std::thread worker(std::move(doubling), 21);
  while (doubled.wait_for(1ms) != std::future_status::ready) {
  }
  assert(doubled.get() == 42);
  assert(sum.get() == 3);
  auto failing = std::async(std::launch::async, []() -> int { throw 7; });
  try {
    failing.get();
    assert(false);
  } catch (int thrown) {
    assert(thrown == 7);
  }
  worker.join();
}
