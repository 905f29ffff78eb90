// std::barrier with a completion function: it runs once per phase, before anyone goes on.
// heddle: run
// expect: clean bound 0
#include <barrier>
#include <cassert>
#include <thread>

int main() {
  int phases = 0;
  const auto count = [&]() noexcept { ++phases; };
  std::barrier barrier(2, count);
  std::thread worker([&] {
    barrier.arrive_and_wait();
    assert(phases >= 1);
    barrier.arrive_and_wait();
  });
  barrier.arrive_and_wait();
  barrier.arrive_and_wait();
  assert(phases == 2);
  worker.join();
}
