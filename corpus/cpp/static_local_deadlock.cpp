// The guard of a function-local static and a mutex, taken in opposite orders; alone with the lock it deadlocks with
// itself.
// heddle: run
// expect: bug deadlock at bound 0
// twin: static_local.cpp
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex registry;
static int registered;

struct Service {
  Service() {
    std::lock_guard guard(registry);
    ++registered;
  }
};

static Service& service() {
  static Service instance;
  return instance;
}

int main() {
  std::thread direct([] { service(); });
  std::thread under_lock([] {
    std::lock_guard guard(registry);
    service();
  });
  direct.join();
  under_lock.join();
  assert(registered == 1);
}
