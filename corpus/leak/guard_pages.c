// Guards in memory that was there before (MADV_GUARD_INSTALL, since Linux 6.13; without them nothing is left behind),
// and pages that are to be made writable at once (MADV_POPULATE_WRITE).
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: fork
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <sys/mman.h>

#include "leak/look_on.h"

enum { PAGE = 4096, POPULATE_WRITE = 23, GUARD_INSTALL = 102 };

static char* memory;

static void* guard(void* unused) {
  assert(memory[0] == 0 && memory[PAGE] == 0);
  assert(madvise(memory, PAGE, POPULATE_WRITE) == 0);
  memory[0] = 1;
  point();
  assert(madvise(memory + PAGE, PAGE, GUARD_INSTALL) == 0 || errno == EINVAL);
  return unused;
}

int main(void) {
  memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(memory != MAP_FAILED);
  run_beside(guard);
  return 0;
}
