// Downloading threads take pieces under a lock, and add to the number of bytes written without it: additions are lost.
// Shape of SCTBench's aget: each thread has pieces of the file, and one counter goes into the log for resuming.
// build: heddle-c++
#include <cassert>
#include <mutex>
#include <thread>

static const int pieces = 4, bytes = 10;
static std::mutex lock;
static int next_piece, written;
static char file[pieces * bytes];

static int claim() {
  const std::lock_guard guard(lock);
  return next_piece < pieces ? next_piece++ : -1;
}

static void download() {
  for (int piece = claim(); piece >= 0; piece = claim()) {
    for (int i = 0; i < bytes; ++i) file[piece * bytes + i] = 'x';
#ifdef FIXED
    const std::lock_guard guard(lock);
#endif
    written += bytes;
  }
}

int main() {
  std::thread threads[] = {std::thread(download), std::thread(download), std::thread(download)};
  for (std::thread& thread : threads) thread.join();
  assert(written == pieces * bytes);
}
