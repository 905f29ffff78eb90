// Memory that was mapped before the threads grows and moves during the test; the next execution finds it where it was.
// heddle: run
// expect: clean complete
// isolation: auto fork
#define _GNU_SOURCE
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "snapshot/two_threads.h"

enum { PAGE = 4096, SMALL = 4 * PAGE, LARGE = 1024 * PAGE };
static char* memory;

static void* grow(void* unused) {
  assert(memory[0] == 'm' && memory[SMALL - 1] == 'm');
  char* grown = mremap(memory, SMALL, LARGE, MREMAP_MAYMOVE);
  assert(grown != MAP_FAILED);
  point();
  assert(grown[0] == 'm' && grown[SMALL] == 0);
  grown[0] = grown[SMALL] = 'g';
  point();
  return unused;
}

static void* look_on(void* unused) {
  point();
  return unused;
}

int main(void) {
  memory = mmap(NULL, SMALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(memory != MAP_FAILED);
  memset(memory, 'm', SMALL);
  run_two(grow, look_on);
  return 0;
}
