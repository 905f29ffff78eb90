// Memory of a file from before the threads, mapped by the thread that uses it: fork gives every execution the contents
// that the one before has left.
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
  int* counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  assert(counter != MAP_FAILED);
  assert(*counter == 0);
  ++*counter;
  point();
  assert(*counter == 1);
  assert(munmap(counter, sizeof *counter) == 0);
  return unused;
}

int main(void) {
  memory = memfd_create("counter", 0);
  assert(memory >= 0 && ftruncate(memory, 4096) == 0);
  run_beside(count);
  return 0;
}
