// Memory mapped during the test and not unmapped: it is not there yet when the next execution starts.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>

#include "snapshot/two_threads.h"

enum { SIZE = 1 << 20 };
static char* const kPlace = (char*)0x200000000000;

static void* work(void* unused) {
  point();
  return unused;
}

static void* map_at_place(void* unused) {
  // Fails when something is mapped there already.
  char* memory = mmap(kPlace, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  assert(memory == kPlace);
  assert(memory[SIZE / 2] == 0);
  memory[SIZE / 2] = 1;
  point();
  assert(memory[SIZE / 2] == 1);
  return unused;
}

int main(void) {
  run_two(map_at_place, work);
  return 0;
}
