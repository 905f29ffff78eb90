// Downloading threads count the bytes that they have written: the rest of a segment under the lock, but what came with
// the header without it. An addition is lost. Shape of aget: the count `bwritten` is shared with a progress bar.
// build: heddle-c++
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

#ifndef THREADS
#define THREADS 2
#endif

static const int segment = 4;
static std::mutex lock;
static int bwritten;
static char file[THREADS * segment];

static int write_file(int offset, int bytes) {
  for (int i = 0; i < bytes; ++i) file[offset + i] = 'x';
  return bytes;
}

static void get_header(int offset) {
  const int bytes = write_file(offset, 1);
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  bwritten += bytes;
}

static void get_rest(int begin, int end) {
  for (int offset = begin; offset < end;) {
    const int bytes = write_file(offset, end - offset < 2 ? 1 : 2);
    const std::lock_guard guard(lock);
    bwritten += bytes;
    offset += bytes;
  }
}

static void download(int number) {
  get_header(number * segment);
  get_rest(number * segment + 1, (number + 1) * segment);
}

static void show_progress() {
  for (int updates = 0; updates < 2; ++updates) {
    const std::lock_guard guard(lock);
    assert(bwritten <= THREADS * segment);
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < THREADS; ++i) threads.emplace_back(download, i);
  threads.emplace_back(show_progress);
  for (std::thread& thread : threads) thread.join();
  assert(bwritten == THREADS * segment);
}
