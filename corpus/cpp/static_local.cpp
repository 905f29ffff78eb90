// A function-local static is made once, whoever comes first.
// heddle: run
// expect: clean bound 2
// twin: static_local_deadlock.cpp
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
    service();
    std::lock_guard guard(registry);
    assert(registered == 1);
  });
  direct.join();
  under_lock.join();
  assert(registered == 1);
}
