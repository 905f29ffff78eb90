// A producer drops what it finds no room for, and a consumer waits for both of its items. std::counting_semaphore
// yields four times before it sleeps: the schedule in which the consumer sleeps first is an everyday one.
// heddle: run
// expect: bug deadlock at bound 0
// twin: semaphore_dropped_fixed.cpp
#include <cassert>
#include <semaphore>
#include <thread>

namespace {
std::counting_semaphore<> items(0), room(1);
int slot;

void produce() {
  for (int i = 1; i <= 2; ++i) {
    if (!room.try_acquire()) continue;
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
