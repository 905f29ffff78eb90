// One thread changes a value under a lock, N others change it under another lock.
// Shape of SCTBench's wronglock (seven others) and wronglock_3.
// build: heddle-c++
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex right_lock;
#ifdef FIXED
static std::mutex& other_lock = right_lock;
#else
static std::mutex other_lock;
#endif
static volatile int value;

static void change_and_check() {
  const std::lock_guard guard(right_lock);
  const int seen = value;
  value = value + 1;
  assert(value == seen + 1);
}

static void change() {
  const std::lock_guard guard(other_lock);
  value = value + 1;
}

int main() {
  std::vector<std::thread> threads;
  threads.emplace_back(change_and_check);
  for (int i = 0; i < N; ++i) threads.emplace_back(change);
  for (std::thread& thread : threads) thread.join();
}
