// A local static that is made by whoever comes first: of the others, some look before it is there and come to wait, and
// some find it, by a look at memory that nobody sees. So some orders of what one thread was seen to do do not exist.
// heddle: run --search=dpor
// expect: no verdict
// says: memory that this search does not look at decides which operations threads come to
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
