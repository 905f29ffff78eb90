// Two threads end a dump. Each tests without a lock whether it still runs, and puts its reference: it is put twice.
// Shape of the kernel's CVE-2016-9806, a double free in netlink's dumps.
// build: heddle-c++
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static volatile bool running;
static std::atomic<int> references{1};  // the socket's own

static void put() { assert(references.fetch_sub(1) > 1); }

static void end_dump() {
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  if (!running) return;
  running = false;
  put();
}

static void start_dump() {
  const std::lock_guard guard(lock);
  if (running) return;
  references.fetch_add(1);
  running = true;
}

static void dump() {
  start_dump();
  end_dump();
}

int main() {
  std::thread threads[] = {std::thread(dump), std::thread(end_dump)};
  for (std::thread& thread : threads) thread.join();
  assert(references == 1);
}
