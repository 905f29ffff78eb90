// The twin of static_runtime, by an atomic's wait, which looks again.
// build: static-libstdc++
// heddle: run
// expect: clean complete
#include <atomic>
#include <thread>

static std::atomic<bool> ready = false;

int main() {
  std::thread waiter([] { ready.wait(false); });
  ready = true;
  ready.notify_one();
  waiter.join();
}
