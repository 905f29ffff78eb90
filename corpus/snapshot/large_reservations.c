// Terabytes reserved before the first thread, of which little is touched; some of it is made usable, unmapped, mapped
// anew and given back during the test. Only what is touched is watched, and each execution finds it as it was.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>

#include "snapshot/two_threads.h"

#define TERABYTE ((size_t)1 << 40)
enum { PART = 1 << 20 };

static char *usable, *closed, *partly_open;

static char* reserve(size_t bytes, int protection) {
  char* memory = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert(memory != MAP_FAILED);
  return memory;
}

static void use_part(char* part) {
  assert(mprotect(part, PART, PROT_READ | PROT_WRITE) == 0);
  assert(part[0] == 0 && part[PART - 1] == 0);
  part[0] = part[PART - 1] = 'a';
  point();
  assert(mprotect(part, 2 * PART, PROT_READ | PROT_WRITE) == 0);
  assert(part[0] == 'a' && part[PART] == 0);
  part[PART] = 'b';
  assert(madvise(part, PART, MADV_DONTNEED) == 0);
  assert(part[0] == 0 && part[PART] == 'b');
}

static void* first(void* unused) {
  assert(usable[0] == 'u' && usable[TERABYTE] == 0);
  usable[0] = usable[TERABYTE] = 'v';
  use_part(closed + PART);
  usable[0] = 'u';
  return unused;
}

static void* second(void* unused) {
  assert(partly_open[0] == 'p');
  partly_open[0] = 'q';
  char* part = closed + TERABYTE;
  assert(mmap(part, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == part);
  assert(part[0] == 0);
  part[0] = 'c';
  point();
  assert(part[0] == 'c' && partly_open[0] == 'q');
  assert(munmap(part, PART) == 0);
  char* during = reserve(2 * TERABYTE, PROT_READ | PROT_WRITE);
  assert(during[TERABYTE] == 0);
  during[TERABYTE] = 'd';
  point();
  assert(during[TERABYTE] == 'd' && munmap(during, 2 * TERABYTE) == 0);
  return unused;
}

int main(void) {
  usable = reserve(2 * TERABYTE, PROT_READ | PROT_WRITE);
  usable[0] = 'u';
  assert(munmap(usable + TERABYTE / 2, PART) == 0);
  closed = reserve(2 * TERABYTE, PROT_NONE);
  partly_open = reserve(2 * TERABYTE, PROT_NONE);
  assert(mprotect(partly_open, PART, PROT_READ | PROT_WRITE) == 0);
  partly_open[0] = 'p';
  run_two(first, second);
  return 0;
}
