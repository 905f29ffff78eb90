// A read is started and marked as pending afterwards. It may have been completed before, and is waited for forever.
// Shape of ReadWriteProc and DoneWaiting in Mozilla's input and output for the Macintosh. An order violation.
// build: plain
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static const int reads = 2;
static std::mutex lock, device_lock;
static std::condition_variable requested, done;
static int requests, bytes;
static bool io_pending;

static void set_pending(bool pending) {
  const std::lock_guard guard(lock);
  io_pending = pending;
  done.notify_one();
}

static void start_read() {
  const std::lock_guard guard(device_lock);
  ++requests;
  requested.notify_one();
}

static void run_device() {
  for (int i = 0; i < reads; ++i) {
    {
      std::unique_lock guard(device_lock);
      requested.wait(guard, [] { return requests > 0; });
      --requests;
      bytes += 4;
    }
    set_pending(false);
  }
}

static void read_write() {
#ifdef FIXED
  set_pending(true);
#endif
  start_read();
#ifndef FIXED
  set_pending(true);
#endif
  std::unique_lock guard(lock);
  done.wait(guard, [] { return !io_pending; });
}

int main() {
  std::thread device(run_device);
  for (int i = 0; i < reads; ++i) read_write();
  device.join();
  assert(bytes == reads * 4);
}
