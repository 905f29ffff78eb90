// Two threads take from a queue. They ask whether it is empty in one critical section and take in another.
// Shape of SCTBench's queue: one thread puts a number of items in while others take them out.
// build: plain
#include <cassert>
#include <mutex>
#include <thread>

static const int count = 4;
static std::mutex lock;
static int items[count], first, last;

static void put(int value) {
  const std::lock_guard guard(lock);
  items[last++] = value;
}

static int take() {
  std::unique_lock guard(lock);
  if (first == last) return 0;
#ifndef FIXED
  guard.unlock();
  guard.lock();
#endif
  assert(first < last);
  return items[first++];
}

static void producer() {
  for (int i = 1; i <= count; ++i) put(i);
}

static void consumer() {
  for (int i = 0; i < count; ++i) take();
}

int main() {
  std::thread threads[] = {std::thread(producer), std::thread(consumer), std::thread(consumer)};
  for (std::thread& thread : threads) thread.join();
}
