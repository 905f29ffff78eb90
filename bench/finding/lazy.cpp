// Three threads create an object when it is missing. They look in one critical section and store in another, so there
// may be two objects, and what was counted in the first is lost. Shape of SCTBench's lazy01: three threads, one lock.
// build: plain
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Counter {
  int count = 0;
};

static std::mutex lock;
static std::shared_ptr<Counter> instance;

static void use() {
  std::unique_lock guard(lock);
  if (!instance) {
#ifndef FIXED
    guard.unlock();
    auto created = std::make_shared<Counter>();
    guard.lock();
    instance = created;
#else
    instance = std::make_shared<Counter>();
#endif
  }
  ++instance->count;
}

int main() {
  std::thread threads[] = {std::thread(use), std::thread(use), std::thread(use)};
  for (std::thread& thread : threads) thread.join();
  assert(instance->count == 3);
}
