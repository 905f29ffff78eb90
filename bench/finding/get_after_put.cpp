// A lookup takes a reference by adding one, although the last reference may have been put before: the object is gone.
// Shape of the kernel's races between get and the last put, which ended in "get unless zero".
// build: heddle-c++
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> references{1};
static bool released;
static std::atomic<bool> listed{true};

static bool get() {
#ifdef FIXED
  int seen = references;
  while (seen != 0)
    if (references.compare_exchange_weak(seen, seen + 1)) return true;
  return false;
#else
  references.fetch_add(1);
  return true;
#endif
}

static void put() {
  if (references.fetch_sub(1) == 1) released = true;
}

static void look_up() {
  if (!listed || !get()) return;
  assert(!released);
  put();
}

static void remove_it() {
  listed = false;
  put();
}

int main() {
  std::thread threads[] = {std::thread(look_up), std::thread(remove_it), std::thread(look_up)};
  for (std::thread& thread : threads) thread.join();
}
