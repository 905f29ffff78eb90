// Two threads, of which one changes a register that no memory tells of: the base of the GS segment, which needs no
// system call. Each program says in look() what it makes of what it finds there.
#include <stdint.h>

#include "snapshot/two_threads.h"

static void look(uint64_t base);

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
  look(segment_base());
  __asm__ volatile("wrgsbase %0" : : "r"(UINT64_C(4096)));
  point();
  pthread_join(thread, NULL);
  return 0;
}
