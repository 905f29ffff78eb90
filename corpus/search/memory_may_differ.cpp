// Memory that rightly depends on the order of independent steps, and is no reason to believe that threads learn of each
// other: addresses of blocks and stacks, what a thread is called, counts, and the marks in objects that are
// initialized when they are first used.
//
// heddle: run
// expect: clean complete
// says: or is equivalent to one that was
// twin: last_writer.c
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct Seen {
  std::unique_ptr<std::string> block;
  const void* stack = nullptr;
  pthread_t self = 0;
  std::uint64_t tagged = 0;  // an address with a number above it, as in a lock-free stack
  std::mutex own;            // numbered when it is first used
  std::once_flag once;
};
static Seen seen[2];
static std::atomic<int> count;

static void look(Seen& own, std::mutex& mutex) {
  std::lock_guard guard(mutex);
  int here = 0;
  own.stack = &here;
  own.block = std::make_unique<std::string>(100, 'x');
  own.self = pthread_self();
  own.tagged = reinterpret_cast<std::uint64_t>(own.block.get()) | std::uint64_t{3} << 48;
  std::lock_guard inner(own.own);
  std::call_once(own.once, [] { ++count; });
}

int main() {
  std::mutex left, right;
  std::thread first([&] { look(seen[0], left); }), second([&] { look(seen[1], right); });
  first.join();
  second.join();
  return count == 2 ? 0 : 1;
}
