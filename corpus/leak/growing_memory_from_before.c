// The same, mapped before the first thread. No call of the test says that it is there.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: fork
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>

#include "leak/look_on.h"

enum { PAGE = 4096 };
static char* const place = (char*)0x100000000000;  // where nothing is near

static char* memory;

static void* grow(void* unused) {
  assert(memory[-100]++ == 0);
  point();
  assert(memory[-100]++ == 1);
  return unused;
}

int main(void) {
  memory = mmap(place, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED_NOREPLACE,
                -1, 0);
  assert(memory != MAP_FAILED);
  run_beside(grow);
  return 0;
}
