// Main waits until all blocks are written and takes the queue's mutex away, while a consumer has yet to unlock it.
// Shape of SCTBench's pbzip2: consumers compress blocks of a queue, and a writer ends after the last block.
// build: heddle-c++
#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

struct Queue {
  pthread_mutex_t* mutex;
  int blocks_left;
};

static const int blocks = 3, consumers = 2;
static Queue queue;
static std::mutex output_lock;
static std::condition_variable compressed;
static int blocks_done;

static void consume() {
  for (;;) {
    pthread_mutex_lock(queue.mutex);
    const bool none_left = queue.blocks_left == 0;
    if (!none_left) --queue.blocks_left;
    if (!none_left) {
      const std::lock_guard guard(output_lock);
      ++blocks_done;
      compressed.notify_one();
    }
    pthread_mutex_unlock(queue.mutex);
    if (none_left) return;
  }
}

static void write_all() {
  std::unique_lock guard(output_lock);
  compressed.wait(guard, [] { return blocks_done == blocks; });
}

static void remove_queue() {
  pthread_mutex_destroy(queue.mutex);
  delete queue.mutex;
  queue.mutex = nullptr;
}

int main() {
  queue = {new pthread_mutex_t(PTHREAD_MUTEX_INITIALIZER), blocks};
  std::vector<std::thread> threads;
  for (int i = 0; i < consumers; ++i) threads.emplace_back(consume);
  std::thread writer(write_all);
  writer.join();
#ifndef FIXED
  remove_queue();
#endif
  for (std::thread& thread : threads) thread.join();
#ifdef FIXED
  remove_queue();
#endif
}
