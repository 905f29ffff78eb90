// A register that no memory tells of: the base of the GS segment, which a program may change without a system call.
// What one execution on a snapshot leaves there the next one finds. Nothing sees that; a check in a process of its own
// does, and the search begins anew under fork.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: fork
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
  if (segment_base() != 0) point();
  __asm__ volatile("wrgsbase %0" : : "r"(UINT64_C(4096)));
  point();
  pthread_join(thread, NULL);
  return 0;
}
