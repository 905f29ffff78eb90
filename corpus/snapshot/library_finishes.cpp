// What the dynamic loader remembers of its libraries is memory of the process, too: whether their destructors have run.
// heddle: run
// expect: clean complete
// library: snapshot/library/finishes.cpp
#include <cassert>

#include "snapshot/two_threads.h"

int of_the_library();

static void* work(void* unused) {
  point();
  assert(of_the_library() == 1);
  return unused;
}

int main() {
  run_two(work, work);
  return 0;
}
