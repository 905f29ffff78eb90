// A producer hands blocks to consumers, they compress them, and a writer takes them in order. Shape of pbzip2.
// BUG 1: main takes the queue away when all is written, while a consumer has yet to say that it leaves it.
// BUG 2: a consumer stores a block's buffer and its size, and the writer looks without the lock whether it is there.
// build: heddle-c++
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#ifndef BUG
#define BUG 1
#endif

static const int blocks = 3, consumers = 2;

struct Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> numbers;
  bool closed = false;
  int users = 0;
};

struct Output {
  const char* buffer;
  int size;
};

static Queue the_queue;
static Queue* fifo = &the_queue;
static std::mutex output_lock;
static std::condition_variable output_changed;
static Output output[blocks];
static char compressed[blocks];
static int consumers_ended;

static Queue& queue() {
  assert(fifo != nullptr);
  return *fifo;
}

static void produce() {
  for (int number = 0; number < blocks; ++number) {
    const std::lock_guard guard(queue().mutex);
    queue().numbers.push_back(number);
    queue().changed.notify_one();
  }
  const std::lock_guard guard(queue().mutex);
  queue().closed = true;
  queue().changed.notify_all();
}

static int take() {
  std::unique_lock guard(queue().mutex);
  while (queue().numbers.empty() && !queue().closed) queue().changed.wait(guard);
  if (queue().numbers.empty()) return -1;
  const int number = queue().numbers.back();
  queue().numbers.pop_back();
  return number;
}

static void use_queue(int change) {
  const std::lock_guard guard(queue().mutex);
  queue().users += change;
}

static void consume() {
  use_queue(1);
  for (int number = take(); number >= 0; number = take()) {
    compressed[number] = static_cast<char>('a' + number);
    const std::lock_guard guard(output_lock);
    output[number].buffer = &compressed[number];
    output[number].size = 1;
    output_changed.notify_one();
  }
  {
    const std::lock_guard guard(output_lock);
    ++consumers_ended;
    output_changed.notify_one();
  }
  use_queue(-1);
}

static void await_block(int number) {
#if BUG == 2 && !defined FIXED
  if (output[number].buffer != nullptr) return;
#endif
  std::unique_lock guard(output_lock);
  while (output[number].buffer == nullptr) output_changed.wait(guard);
}

static void write_file() {
  for (int number = 0; number < blocks; ++number) {
    await_block(number);
    assert(output[number].size == 1 && *output[number].buffer == 'a' + number);
  }
  std::unique_lock guard(output_lock);
  while (consumers_ended < consumers) output_changed.wait(guard);
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < consumers; ++i) threads.emplace_back(consume);
  std::thread writer(write_file);
  produce();
  writer.join();
#if BUG == 1 && !defined FIXED
  fifo = nullptr;
#endif
  for (std::thread& thread : threads) thread.join();
  assert(fifo == nullptr || fifo->users == 0);
  fifo = nullptr;
}
