// The same by a copy of the descriptor that a thread has made itself, and by a mapping that can only be read at first.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: exec
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

#include "leak/look_on.h"

static int memory;

static void* count(void* unused) {
  const int copy = dup(memory);
  int* counter = mmap(NULL, sizeof *counter, PROT_READ, MAP_SHARED, copy, 0);
  assert(counter != MAP_FAILED && close(copy) == 0);
  assert(*counter == 0);
  assert(mprotect(counter, sizeof *counter, PROT_READ | PROT_WRITE) == 0);
  ++*counter;
  point();
  assert(*counter == 1);
  return unused;
}

int main(void) {
  memory = memfd_create("counter", 0);
  assert(memory >= 0 && ftruncate(memory, 4096) == 0);
  run_beside(count);
  return 0;
}
