// As tls_destructor_locks.cpp, with one order.
// heddle: run
// expect: clean complete
// twin: cpp/tls_destructor_locks.cpp
#include <mutex>
#include <thread>

static std::mutex first, second;

struct Flusher {
  bool used = false;
  ~Flusher() {
    const std::lock_guard<std::mutex> one(first);
    const std::lock_guard<std::mutex> two(second);
  }
};
thread_local Flusher flusher;

int main() {
  std::thread flushes([] { flusher.used = true; });
  std::thread other([] {
    const std::lock_guard<std::mutex> one(first);
    const std::lock_guard<std::mutex> two(second);
  });
  flushes.join();
  other.join();
}
