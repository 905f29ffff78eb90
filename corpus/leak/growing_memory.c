// Memory that grows downwards by itself, mapped and left in the test: it must be gone at the next beginning.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: fork
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>

#include "leak/look_on.h"

enum { PAGE = 4096 };
static char* const place = (char*)0x100000000000;  // where nothing is near

static void* grow(void* unused) {
  char* const memory = mmap(place, PAGE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED_NOREPLACE, -1, 0);
  assert(memory != MAP_FAILED);
  point();
  assert(memory[-100]++ == 0);
  return unused;
}

int main(void) {
  run_beside(grow);
  return 0;
}
