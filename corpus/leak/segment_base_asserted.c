// As segment_base.c, and the test fails where it finds what another execution left. No process of its own does, so it
// is no bug: the search begins anew under fork before one is told of.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: fork
#include <assert.h>
#include <stdint.h>

#include "snapshot/two_threads.h"

static uint64_t segment_base(void) {
  uint64_t base;
  __asm__ volatile("rdgsbase %0" : "=r"(base));
  return base;
}

static void* work(void* unused) {
  point();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  assert(segment_base() == 0);
  __asm__ volatile("wrgsbase %0" : : "r"(UINT64_C(4096)));
  point();
  pthread_join(thread, NULL);
  return 0;
}
