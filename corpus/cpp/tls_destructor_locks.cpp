// The destructor of a thread_local takes two locks in the other order than another thread. The thread that runs it does
// not get its name.
// heddle: run
// expect: bug deadlock at bound 1
// says: main waits for thread 1 to end
// says: lambda at tls_destructor_locks.cpp:27 waits for first
// twin: cpp/tls_destructor_locks_ordered.cpp
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
    const std::lock_guard<std::mutex> two(second);
    const std::lock_guard<std::mutex> one(first);
  });
  flushes.join();
  other.join();
}
