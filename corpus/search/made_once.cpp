// A local static that is made by whoever comes first: of the others, some look before it is there and come to wait, and
// some find it. Each look is a step until a thread has seen that it is there.
// heddle: run --search=dpor
// expect: clean complete
#include <mutex>
#include <thread>

static std::mutex registry;

struct Service {
  Service() { const std::lock_guard<std::mutex> guard(registry); }
};

static Service& service() {
  static Service instance;
  return instance;
}

int main() {
  std::thread direct([] { service(); });
  std::thread under_lock([] {
    service();
    const std::lock_guard<std::mutex> guard(registry);
  });
  direct.join();
  under_lock.join();
}
