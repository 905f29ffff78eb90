// N updates of a shared count by a thread, while main waits for it: each is a scheduling point with --patch=yes.
#include <atomic>
#include <cstdlib>
#include <thread>

std::atomic<long> count{0};

int main(int, char** arguments) {
  const long updates = std::atol(arguments[1]);
  std::thread thread([updates] {
    for (long i = 0; i < updates; ++i) count.fetch_add(1);
  });
  thread.join();
  return count == updates ? 0 : 1;
}
