// The sender moves the end of the buffer on before it has filled the slot, in two critical sections, and the receiver
// takes what the slot held before. Shape of SCTBench's circular_buffer: one sender, one receiver, values in order.
// build: plain
#include <cassert>
#include <mutex>
#include <thread>

static const int capacity = 3, count = 6;
static std::mutex lock;
static int slots[capacity], first, last;  // both count on, and a slot is their remainder

static bool send(int value) {
  std::unique_lock guard(lock);
  if (last - first == capacity) return false;
  const int slot = last++ % capacity;
#ifndef FIXED
  guard.unlock();
  guard.lock();
#endif
  slots[slot] = value;
  return true;
}

static bool receive(int* value) {
  const std::lock_guard guard(lock);
  if (first == last) return false;
  *value = slots[first++ % capacity];
  return true;
}

static void sender() {
  int next = 1;
  for (int i = 0; i < count; ++i)
    if (send(next)) ++next;
}

static void receiver() {
  int expected = 1, value = 0;
  for (int i = 0; i < count; ++i)
    if (receive(&value)) assert(value == expected++);
}

int main() {
  std::thread threads[] = {std::thread(sender), std::thread(receiver)};
  for (std::thread& thread : threads) thread.join();
}
