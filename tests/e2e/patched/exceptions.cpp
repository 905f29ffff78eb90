// Atomic instructions in functions to which the unwinder jumps. Ends with 1 where a count is wrong.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

std::atomic<int> entered{0}, caught{0}, left{0};

__attribute__((noinline)) void fail_if(bool wanted) {
  if (wanted) throw std::runtime_error("wanted");
}

struct Leaves {
  ~Leaves() { left.fetch_add(1); }
};

void work(const std::shared_ptr<int>& shared) {
  for (int i = 0; i < 2; ++i) {
    const std::shared_ptr<int> copy = shared;
    try {
      const Leaves leaves;
      entered.fetch_add(1);
      fail_if(i == *copy);
      entered.fetch_add(1);
    } catch (const std::runtime_error&) {
      caught.fetch_add(1);
    }
  }
}

int main() {
  const auto shared = std::make_shared<int>(1);
  std::thread thread(work, shared);
  work(shared);
  thread.join();
  return entered == 6 && caught == 2 && left == 4 && shared.use_count() == 1 ? 0 : 1;
}
