// call_once with an initializer that throws the first time: another attempt follows, and all see its result.
// heddle: run
// expect: clean bound 2
// twin: call_once_gives_up.cpp
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag once;
static int attempts;
static int value;

static void initialize() {
  if (++attempts == 1) throw std::runtime_error("not yet");
  value = 42;
}

static void use() {
  try {
    std::call_once(once, initialize);
  } catch (const std::runtime_error&) {
    std::call_once(once, initialize);
  }
  assert(value == 42);
}

int main() {
  std::thread first(use), second(use);
  first.join();
  second.join();
  assert(attempts == 2);
}
