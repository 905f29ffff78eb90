// What exit handlers order: what was done before one was registered comes before it runs.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// twin: races/race_counter.c
// build: heddle-cc
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

static int value;
static std::atomic<bool> registered{false};

struct Name {
  std::string text = std::string(40, 'x');
  ~Name() {
    if (text.size() != 40) __builtin_trap();
  }
};

static void check() {
  if (value != 1) __builtin_trap();
  value = 2;
}

int main() {
  std::thread([] {
    static const Name name;
    value = 1;
    std::atexit(check);
    registered.store(true, std::memory_order_relaxed);
  }).detach();
  while (!registered.load(std::memory_order_relaxed)) std::this_thread::yield();
  return 0;
}
