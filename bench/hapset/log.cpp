// The log is rotated: it is closed and opened again, in two critical sections. Who writes between them finds it closed
// and drops its entry. Shape of MySQL's binary log, whose rotation lost queries. An atomicity violation.
// build: plain
#include <cassert>
#include <mutex>
#include <thread>

static const int clients = 2, queries = 2;
static std::mutex lock, table_lock;
static bool is_open = true;
static int rows, entries, files = 1;

static void write_log() {
  const std::lock_guard guard(lock);
  if (is_open) ++entries;
}

static void insert() {
  for (int i = 0; i < queries; ++i) {
    {
      const std::lock_guard guard(table_lock);
      ++rows;
    }
    write_log();
  }
}

static void rotate() {
  std::unique_lock guard(lock);
  is_open = false;
#ifndef FIXED
  guard.unlock();
  guard.lock();
#endif
  ++files;
  is_open = true;
}

int main() {
  std::thread threads[] = {std::thread(insert), std::thread(insert), std::thread(rotate)};
  for (std::thread& thread : threads) thread.join();
  assert(rows == clients * queries && files == 2);
  assert(entries == rows);
}
