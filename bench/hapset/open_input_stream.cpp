// To open an input stream locks the stream and then its cache, and to evict locks the cache and then the stream.
// Shape of OpenInputStream in Mozilla's cache. A deadlock of two locks; with LOCKS == 3 of three, where to evict goes
// on to the disk's lock, and to flush from there to the stream's. build: plain
#include <cassert>
#include <mutex>
#include <thread>

#ifndef LOCKS
#define LOCKS 2
#endif

static std::mutex stream_lock, cache_lock, disk_lock;
static int opened, evicted, flushed;

static void open_input_stream() {
  const std::lock_guard stream_guard(stream_lock);
  ++opened;
  const std::lock_guard cache_guard(cache_lock);
  ++opened;
}

static void evict() {
#if LOCKS == 2 && defined FIXED
  const std::lock_guard stream_guard(stream_lock);
#endif
  const std::lock_guard cache_guard(cache_lock);
  ++evicted;
#if LOCKS == 2 && !defined FIXED
  const std::lock_guard stream_guard(stream_lock);
#elif LOCKS == 3
  const std::lock_guard disk_guard(disk_lock);
#endif
  ++evicted;
}

static void flush() {
#if LOCKS == 3 && !defined FIXED
  const std::lock_guard disk_guard(disk_lock);
  const std::lock_guard stream_guard(stream_lock);
#else
  const std::lock_guard stream_guard(stream_lock);
  const std::lock_guard disk_guard(disk_lock);
#endif
  flushed += 2;
}

int main() {
  std::thread threads[] = {std::thread(open_input_stream), std::thread(evict), std::thread(flush)};
  for (std::thread& thread : threads) thread.join();
  assert(opened == 2 && evicted == 2 && flushed == 2);
}
