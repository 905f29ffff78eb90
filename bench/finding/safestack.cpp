// Vyukov's lock-free stack of indices: with three threads, a few switches at the right places give one index to two.
// Shape of SafeStack, the hardest of the usual programs: three slots, and each thread pops and pushes four times.
// build: heddle-c++
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static const int slots = 3;
static volatile int owner[slots];
static std::atomic<int> next[slots], head{0}, count{slots};

#ifdef FIXED
static std::mutex lock;
#endif

static int pop() {
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  while (count > 1) {
    int top = head;
    const int below = next[top].exchange(-1);
    if (below < 0) continue;
    int expected = top;
    if (head.compare_exchange_strong(expected, below)) {
      count.fetch_sub(1);
      return top;
    }
    next[top].exchange(below);
  }
  return -1;
}

static void push(int slot) {
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  int top = head;
  do next[slot] = top;
  while (!head.compare_exchange_strong(top, slot));
  count.fetch_add(1);
}

static void use(int self) {
  for (int i = 0; i < 4; ++i) {
    int slot = pop();
    while (slot < 0) slot = pop();
    owner[slot] = self;
    assert(owner[slot] == self);
    push(slot);
  }
}

int main() {
  for (int i = 0; i < slots; ++i) next[i] = i + 1 < slots ? i + 1 : -1;
  std::thread threads[] = {std::thread(use, 1), std::thread(use, 2), std::thread(use, 3)};
  for (std::thread& thread : threads) thread.join();
}
