// main believes that a task in the pool of a shared library is done when it returns; the pool is joined only later.
// heddle: run
// expect: bug exit at bound 0
// library: odd/library/pool.cpp
// twin: pool_joined_at_exit.cpp
#include <atomic>

#include "odd/library/pool.h"

static std::atomic<int> done{0};

int main() {
  run_in_pool([] { ++done; });
  return done == 1 ? 0 : 5;
}
