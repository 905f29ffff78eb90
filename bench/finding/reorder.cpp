// Setters write one variable, then the other, and a checker sees the first write without the second: one preemption in
// whichever setter comes first. Shape of SCTBench's reorder_N: N threads, the checkers (mostly one) are created last.
// build: heddle-c++
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static int first, second;
static std::mutex lock;

static void set() {
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  first = 1;
  second = -1;
}

static void check() {
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  const int seen_first = first, seen_second = second;
  assert((seen_first == 0 && seen_second == 0) || (seen_first == 1 && seen_second == -1));
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < N - CHECKERS; ++i) threads.emplace_back(set);
  for (int i = 0; i < CHECKERS; ++i) threads.emplace_back(check);
  for (std::thread& thread : threads) thread.join();
}
