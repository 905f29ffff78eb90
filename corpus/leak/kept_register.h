// Two threads, of which one changes a register that no memory tells of: one of MMX, which nobody else uses, and which
// keeps its contents when it is declared free. (A segment's base would not stay where a hypervisor hides FSGSBASE.)
// Each program says in look() what it makes of what it finds there.
#include <stdint.h>

#include "snapshot/two_threads.h"

static void look(uint64_t value);

static uint64_t kept_register(void) {
  uint64_t value;
  __asm__ volatile("movq %%mm7, %0\n\temms" : "=r"(value));
  return value;
}

static void* work(void* unused) {
  point();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  look(kept_register());
  __asm__ volatile("movq %0, %%mm7\n\temms" : : "r"(UINT64_C(4096)));
  point();
  pthread_join(thread, NULL);
  return 0;
}
