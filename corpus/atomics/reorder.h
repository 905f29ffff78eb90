// "Reorder", known from comparisons of concurrency testing tools: setters write one variable, then another; a checker
// sees the first write without the second. However many setters there are, one preemption is enough, and it has to be
// in the first of them that sets anything.
#pragma once

#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

struct Pair {
  int first;
  int second;
};

void set();
Pair look();

inline int set_and_check(int setters) {
  std::vector<std::thread> threads;
  for (int i = 0; i < setters; ++i) threads.emplace_back(set);
  threads.emplace_back([] {
    const Pair seen = look();
    assert((seen.first == 0 && seen.second == 0) || (seen.first == 1 && seen.second == -1));
  });
  for (std::thread& thread : threads) thread.join();
  return 0;
}
