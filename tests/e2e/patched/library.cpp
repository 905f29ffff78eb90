// A library that takes a number in two steps: two threads may get the same one.
#include <atomic>

static std::atomic<int> next{0}, taken{0};

extern "C" int take_number() {
  const int number = next.load();
  taken.exchange(number);
  next.store(number + 1);
  return number;
}
