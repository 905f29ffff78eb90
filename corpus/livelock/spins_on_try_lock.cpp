// Spins on a try-lock and never yields. Correct: whoever has the lock gives it back. The loop counts as yielding.
// heddle: run
// expect: clean bound 2
// says: goes round at
// says: and never yields
// twin: livelock/polls_then_reads.c
#include <mutex>
#include <thread>

static std::mutex mutex;

int main() {
  std::thread other([] {
    mutex.lock();
    mutex.unlock();
  });
  while (!mutex.try_lock()) continue;
  mutex.unlock();
  other.join();
}
