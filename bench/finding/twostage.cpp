// Writers set two values that belong together under a lock each, and a reader comes between the two stages of the first
// writer. Shape of SCTBench's twostage_N: N threads, the reader is created last.
// build: plain
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex first_lock, second_lock;
static int first, second;

static void write_both() {
#ifdef FIXED
  const std::lock_guard first_guard(first_lock);
  const std::lock_guard second_guard(second_lock);
  first = 1;
  second = first + 1;
#else
  first_lock.lock();
  first = 1;
  first_lock.unlock();
  second_lock.lock();
  second = 2;
  second_lock.unlock();
#endif
}

static void read_both() {
  first_lock.lock();
  const int seen_first = first;
  first_lock.unlock();
  if (seen_first == 0) return;
  second_lock.lock();
  const int seen_second = second;
  second_lock.unlock();
  assert(seen_second == seen_first + 1);
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < N - 1; ++i) threads.emplace_back(write_both);
  threads.emplace_back(read_both);
  for (std::thread& thread : threads) thread.join();
}
