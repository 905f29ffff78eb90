// A queue's head and tail in one word of eight bytes, and two short ones in another.
#pragma once

#include <atomic>
#include <cassert>
#include <thread>

struct Queue {
  std::atomic<int> tail{0}, head{0};
  std::atomic<short> first{0}, second{0};
};

inline Queue queue;

inline void write_both() {
  queue.second = 7;
  queue.head = 5;
  queue.tail = 6;
  queue.first = 8;
}
