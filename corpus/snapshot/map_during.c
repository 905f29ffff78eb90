// Memory mapped, grown, moved, protected and unmapped during the test: the same in every execution.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "snapshot/two_threads.h"

enum { PAGE = 4096, SMALL = 4 * PAGE, LARGE = 64 * PAGE };

static void* work(void* unused) {
  char* memory = mmap(NULL, SMALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(memory != MAP_FAILED);
  for (int i = 0; i < SMALL; i += PAGE) assert(memory[i] == 0);
  memset(memory, 'a', SMALL);
  point();
  memory = mremap(memory, SMALL, LARGE, MREMAP_MAYMOVE);
  assert(memory != MAP_FAILED);
  assert(memory[SMALL - 1] == 'a' && memory[SMALL] == 0 && memory[LARGE - 1] == 0);
  memory[LARGE - 1] = 'b';
  assert(mprotect(memory, PAGE, PROT_READ) == 0);
  point();
  assert(memory[0] == 'a' && memory[LARGE - 1] == 'b');
  assert(munmap(memory, LARGE) == 0);
  return unused;
}

int main(void) {
  run_two(work, work);
  return 0;
}
