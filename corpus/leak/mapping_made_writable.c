// Memory of a file that was mapped before the threads, and can be written to only in the test.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: exec
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

#include "leak/look_on.h"

static int* counter;

static void* count(void* unused) {
  assert(*counter == 0);
  assert(mprotect(counter, sizeof *counter, PROT_READ | PROT_WRITE) == 0);
  ++*counter;
  point();
  assert(*counter == 1);
  return unused;
}

int main(void) {
  const int memory = memfd_create("counter", 0);
  assert(memory >= 0 && ftruncate(memory, 4096) == 0);
  counter = mmap(NULL, sizeof *counter, PROT_READ, MAP_SHARED, memory, 0);
  assert(counter != MAP_FAILED && close(memory) == 0);
  run_beside(count);
  return 0;
}
