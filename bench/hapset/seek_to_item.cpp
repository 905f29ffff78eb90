// Two threads read items of one archive: each seeks to its item and reads on from there, but the position is shared.
// Shape of SeekToItem in Mozilla's zip reader. An atomicity violation.
// build: heddle-c++
#include <atomic>
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

static const std::string archive = "aaabbb";
static const int item_size = 3;
static std::mutex lock;
static std::atomic<unsigned> position;
static int items_read;

static void seek_to_item(int item) { position = item * item_size; }

static char read_byte() {
  const unsigned at = position++;
  return at < archive.size() ? archive[at] : '\0';
}

static void read_item(int item) {
#ifdef FIXED
  const std::lock_guard file_guard(lock);
#endif
  seek_to_item(item);
  for (int i = 0; i < item_size; ++i) assert(read_byte() == "ab"[item]);
#ifndef FIXED
  const std::lock_guard guard(lock);
#endif
  ++items_read;
}

int main() {
  std::thread threads[] = {std::thread(read_item, 0), std::thread(read_item, 1)};
  for (std::thread& thread : threads) thread.join();
  assert(items_read == 2);
}
