// The protection of memory that was mapped before the threads changes during the test, and is again what it was when
// the next execution starts.
// heddle: run
// expect: clean complete
// isolation: auto fork
#define _GNU_SOURCE
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "snapshot/two_threads.h"

enum { PAGE = 4096, SIZE = 4 * PAGE };
static char *closed, *opened;

static char* map(void) {
  char* memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(memory != MAP_FAILED);
  memset(memory, 'm', SIZE);
  return memory;
}

static void* protect(void* unused) {
  closed[PAGE] = 'c';
  assert(mprotect(closed, SIZE, PROT_READ) == 0);
  point();
  assert(closed[PAGE] == 'c' && closed[0] == 'm');
  return unused;
}

static void* open_up(void* unused) {
  assert(mprotect(opened, SIZE, PROT_READ | PROT_WRITE) == 0);
  assert(opened[PAGE] == 'm');
  opened[PAGE] = 'o';
  point();
  assert(opened[PAGE] == 'o');
  return unused;
}

int main(void) {
  closed = map();
  opened = map();
  assert(mprotect(opened, SIZE, PROT_READ) == 0);
  run_two(protect, open_up);
  return 0;
}
