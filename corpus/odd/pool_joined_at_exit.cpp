// A shared library joins its worker in the destructor of a static object, while the process is already ending.
// heddle: run
// expect: clean bound 1
// library: odd/library/pool.cpp
// twin: pool_forgotten_result.cpp
#include <atomic>

#include "odd/library/pool.h"

static std::atomic<int> done{0};

int main() {
  run_in_pool([] { ++done; });
}
