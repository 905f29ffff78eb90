// A producer waits for room, and a consumer for both of its items, with std::counting_semaphore: whoever sleeps is
// woken.
// heddle: run
// expect: clean complete
// twin: semaphore_dropped.cpp
#include <cassert>
#include <semaphore>
#include <thread>

namespace {
std::counting_semaphore<> items(0), room(1);
int slot;

void produce() {
  for (int i = 1; i <= 2; ++i) {
    room.acquire();
    slot = i;
    items.release();
  }
}
}  // namespace

int main() {
  std::thread producer(produce);
  items.acquire();
  const int first = slot;
  room.release();
  items.acquire();
  assert(first == 1 && slot == 2);
  producer.join();
}
