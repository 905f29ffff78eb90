// 16 bytes at once, by compare-exchange.
// heddle: run
// expect: clean complete
// twin: atomics/wide_versions_lost.cpp
// build: heddle-cc clang
#include "atomics/wide_versions.h"

void add_one() {
  Versioned seen = current.load();
  while (!current.compare_exchange_weak(seen, {seen.value + 1, seen.version + 1})) {
  }
}

int main() { return add_from_two_threads(); }
