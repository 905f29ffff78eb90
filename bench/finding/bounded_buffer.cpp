// Producers and consumers wait on one condition, and a signal wakes one thread, perhaps of the wrong kind: deadlock.
// With LOOK_ONCE, whoever wakes does not look again. Shapes of Inspect's boundedBuffer and bbuf.
// build: plain
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

static const int capacity = CAPACITY, rounds = ROUNDS;
static std::mutex lock;
static std::condition_variable changed, emptied;
static int held;

static std::condition_variable& room() {
#if defined(FIXED) || defined(LOOK_ONCE)
  return emptied;
#else
  return changed;
#endif
}

static void wait_while_held_is(int value, std::condition_variable& condition, std::unique_lock<std::mutex>& guard) {
  while (held == value) {
    condition.wait(guard);
#if defined(LOOK_ONCE) && !defined(FIXED)
    break;
#endif
  }
}

static void produce() {
  for (int i = 0; i < rounds; ++i) {
    std::unique_lock guard(lock);
    wait_while_held_is(capacity, room(), guard);
    ++held;
    assert(held <= capacity);
    changed.notify_one();
  }
}

static void consume() {
  for (int i = 0; i < rounds; ++i) {
    std::unique_lock guard(lock);
    wait_while_held_is(0, changed, guard);
    --held;
    assert(held >= 0);
    room().notify_one();
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < N; ++i) threads.emplace_back(produce);
  for (int i = 0; i < N; ++i) threads.emplace_back(consume);
  for (std::thread& thread : threads) thread.join();
}
