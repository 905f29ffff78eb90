// Thieves hold a lock, and the owner of the queue takes it only where both may be after one item. A thief looks at the
// tail before it has claimed an item. Shape of the CHESS papers' work-stealing queue with state, after Cilk's.
// build: heddle-c++
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static const int count = 4;
static std::atomic<int> taken[count], head{0}, tail{0};
static int items[count];
static std::mutex lock;

static void push(int item) {
  items[tail] = item;
  tail = tail + 1;
}

static int pop() {
  int at = tail - 1;
  tail = at;
  if (head <= at) return items[at];
  tail = at + 1;
  const std::lock_guard guard(lock);
  at = tail - 1;
  if (head > at) return -1;
  tail = at;
  return items[at];
}

static int steal() {
  const std::lock_guard guard(lock);
  const int at = head;
#ifdef FIXED
  head = at + 1;
  if (at < tail) return items[at];
  head = at;
  return -1;
#else
  if (at >= tail) return -1;
  head = at + 1;
  return items[at];
#endif
}

static void work(int item) {
  if (item >= 0) assert(taken[item].fetch_add(1) == 0);
}

static void owner() {
  for (int item = 0; item < 3; ++item) push(item);
  for (int i = 0; i < 3; ++i) work(pop());
}

static void thief() {
  for (int i = 0; i < 2; ++i) work(steal());
}

int main() {
  std::thread threads[] = {std::thread(owner), std::thread(thief)};
  for (std::thread& thread : threads) thread.join();
}
