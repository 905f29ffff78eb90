// The owner of a work-stealing queue takes the last item without the compare-and-swap that would tell it of a thief.
// Shape of the CHESS papers' interlocked work-stealing queue with state, after Chase and Lev.
// build: heddle-c++
#include <atomic>
#include <cassert>
#include <thread>

struct Item {
  std::atomic<int> taken{0};
};

static const int count = 4;
static Item items[count];
static std::atomic<Item*> slots[count];
static std::atomic<int> head{0}, tail{0};

static void push(Item* item) {
  const int at = tail;
  slots[at] = item;
  tail = at + 1;
}

static Item* pop() {
  const int at = tail - 1;
  tail = at;
  int seen = head;
  if (seen < at) return slots[at];
  Item* item = nullptr;
  if (seen == at) {  // the last one: thieves may be after it
    item = slots[at];
#ifdef FIXED
    if (!head.compare_exchange_strong(seen, seen + 1)) item = nullptr;
#else
    head = seen + 1;
#endif
  }
  tail = at + 1;
  return item;
}

static Item* steal() {
  int at = head;
  if (at >= tail) return nullptr;
  Item* item = slots[at];
  return head.compare_exchange_strong(at, at + 1) ? item : nullptr;
}

static void work(Item* item) {
  if (item != nullptr) assert(item->taken.fetch_add(1) == 0);
}

static void owner() {
  push(&items[0]);
  push(&items[1]);
  work(pop());
  push(&items[2]);
  work(pop());
  work(pop());
}

static void thief() {
  for (int i = 0; i < 2; ++i) work(steal());
}

int main() {
  std::thread threads[] = {std::thread(owner), std::thread(thief)};
  for (std::thread& thread : threads) thread.join();
}
