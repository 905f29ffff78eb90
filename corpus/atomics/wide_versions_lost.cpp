// 16 bytes at once, but first read and then written.
// heddle: run
// expect: bug assertion at bound 1
// says: end.value == 2
// twin: atomics/wide_versions.cpp
// build: heddle-cc clang
#include "atomics/wide_versions.h"

void add_one() {
  const Versioned seen = current.load();
  current.store({seen.value + 1, seen.version + 1});
}

int main() { return add_from_two_threads(); }
