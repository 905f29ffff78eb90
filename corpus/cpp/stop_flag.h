// One consumer, two items, and a flag that tells it to stop.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

inline void run_consumer(bool stops_inside_the_lock) {
  std::mutex mutex;
  std::condition_variable filled;
  std::atomic<bool> stop{false};
  int items = 0;
  std::thread consumer([&] {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      filled.wait(lock, [&] { return items > 0 || stop; });
      if (items == 0) return;
      --items;
    }
  });
  {
    const std::lock_guard<std::mutex> lock(mutex);
    items = 2;
  }
  filled.notify_one();
  if (stops_inside_the_lock) {
    const std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  } else {
    stop = true;
  }
  filled.notify_one();
  consumer.join();
}
