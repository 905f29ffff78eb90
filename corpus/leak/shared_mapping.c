// A counter in memory that was mapped shared before the threads: not in the memory of the process alone.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: exec
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>

#include "leak/look_on.h"

static int* counter;

static void* count(void* unused) {
  assert(*counter == 0);
  ++*counter;
  point();
  assert(*counter == 1);
  return unused;
}

int main(void) {
  counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(counter != MAP_FAILED);
  run_beside(count);
  return 0;
}
