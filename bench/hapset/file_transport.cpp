// A transport holds its lock and tells the service that it is done, while the service holds its own lock and suspends
// all transports. Shape of Mozilla's file transports and their service. A deadlock of two locks.
// build: plain
#include <cassert>
#include <mutex>
#include <thread>

static const int transports = 2;

struct Transport {
  std::mutex lock;
  int bytes = 0;
  bool suspended = false;
};

static std::mutex service_lock;
static Transport all[transports];
static int in_use = transports;

static void finish() {
  const std::lock_guard guard(service_lock);
  --in_use;
}

static void process(Transport& transport) {
  std::unique_lock guard(transport.lock);
  transport.bytes += 8;
  transport.bytes += 8;
#ifdef FIXED
  guard.unlock();
#endif
  finish();
}

static void suspend_all() {
  const std::lock_guard service_guard(service_lock);
  for (Transport& transport : all) {
    const std::lock_guard guard(transport.lock);
    transport.suspended = true;
  }
}

int main() {
  std::thread threads[] = {std::thread([] { process(all[0]); }), std::thread([] { process(all[1]); }),
                           std::thread(suspend_all)};
  for (std::thread& thread : threads) thread.join();
  assert(in_use == 0);
  for (const Transport& transport : all) assert(transport.bytes == 16 && transport.suspended);
}
