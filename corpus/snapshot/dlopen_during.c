// One library is loaded before the threads, another one during the test by both threads: their data is fresh in every
// execution, thread storage included.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// module: snapshot/library/counter.c
// module: snapshot/library/late_counter.cpp
#include "snapshot/load_counter.h"
#include "snapshot/two_threads.h"

static struct Counter before;
static int calls_before, calls_during;

static void* work(void* unused) {
  assert(before.count_call_of_thread() == 1);
  pthread_mutex_lock(&point_mutex);
  assert(before.count_call() == ++calls_before);
  struct Counter during = load_counter(MODULES "late_counter.so");
  assert(during.count_call() == ++calls_during);
  pthread_mutex_unlock(&point_mutex);
  assert(during.count_call_of_thread() == 1);
  point();
  assert(during.count_call_of_thread() == 2);
  assert(before.count_call_of_thread() == 2);
  return unused;
}

int main(void) {
  before = load_counter(MODULES "counter.so");
  run_two(work, work);
  assert(calls_before == 2 && calls_during == 2);
  return 0;
}
