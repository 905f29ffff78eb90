// Two threads take two locks in opposite order.
// Shape of SCTBench's deadlock01: a counter is changed under both locks.
// build: plain
#include <mutex>
#include <thread>

static std::mutex left, right;
static int counter;

static void add(std::mutex& outer, std::mutex& inner) {
  const std::lock_guard outer_guard(outer);
  ++counter;
  const std::lock_guard inner_guard(inner);
  ++counter;
}

int main() {
#ifdef FIXED
  std::thread threads[] = {std::thread([] { add(left, right); }), std::thread([] { add(left, right); })};
#else
  std::thread threads[] = {std::thread([] { add(left, right); }), std::thread([] { add(right, left); })};
#endif
  for (std::thread& thread : threads) thread.join();
}
