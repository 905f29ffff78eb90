// The pusher raises a flag that there is something to pop, and nobody lowers it when the stack is empty again.
// Shape of SCTBench's stack: one thread pushes, one pops, both under the lock.
// build: plain
#include <cassert>
#include <mutex>
#include <thread>

static const int count = 8;
static std::mutex lock;
static int items[count], height;
static bool filled;

static void pusher() {
  for (int i = 0; i < count; ++i) {
    const std::lock_guard guard(lock);
    items[height++] = i;
    filled = true;
  }
}

static void popper() {
  for (int i = 0; i < count; ++i) {
    const std::lock_guard guard(lock);
    if (!filled) continue;
    assert(height > 0);
    --height;
#ifdef FIXED
    filled = height > 0;
#endif
  }
}

int main() {
  std::thread threads[] = {std::thread(pusher), std::thread(popper)};
  for (std::thread& thread : threads) thread.join();
}
