// "Two-stage", known from comparisons of concurrency testing tools: writers set one variable and then another that
// belongs to it, each under its own lock; readers look at both in the same order. A reader between the two stages sees
// one new value and one old.
#pragma once

#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

inline std::mutex first_lock, second_lock;
inline int first, second;

void write_both();

inline void read_both() {
  first_lock.lock();
  const int seen = first;
  first_lock.unlock();
  if (seen == 0) return;
  second_lock.lock();
  assert(second == seen + 1);
  second_lock.unlock();
}

// Half of the tasks write, half read.
inline int write_and_read(int tasks) {
  std::vector<std::thread> threads;
  for (int i = 0; i < tasks / 2; ++i) threads.emplace_back(write_both);
  for (int i = 0; i < tasks / 2; ++i) threads.emplace_back(read_both);
  for (std::thread& thread : threads) thread.join();
  return 0;
}
