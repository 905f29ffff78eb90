// A library that was loaded before the threads is unloaded during the test; every execution finds it loaded.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: auto fork
// module: snapshot/library/counter.c
#include "snapshot/load_counter.h"
#include "snapshot/two_threads.h"

static struct Counter before;

static void* use_and_unload(void* unused) {
  assert(before.count_call() == 1);
  point();
  assert(before.count_call() == 2);
  assert(dlclose(before.handle) == 0);
  assert(dlopen(MODULES "counter.so", RTLD_NOW | RTLD_NOLOAD) == NULL);
  struct Counter again = load_counter(MODULES "counter.so");
  assert(again.count_call() == 1);
  point();
  assert(again.count_call() == 2);
  return unused;
}

static void* look_on(void* unused) {
  point();
  return unused;
}

int main(void) {
  before = load_counter(MODULES "counter.so");
  run_two(use_and_unload, look_on);
  return 0;
}
