// Memory that was mapped before the threads is unmapped during the test, in part and as a whole, and mapped anew: every
// execution finds it as it was.
// heddle: run
// expect: clean complete
// isolation: auto fork
#define _GNU_SOURCE
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "snapshot/two_threads.h"

enum { PAGE = 4096, SIZE = 16 * PAGE };
static char *halved, *replaced;

static char* map(char filling) {
  char* memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(memory != MAP_FAILED);
  memset(memory, filling, SIZE);
  return memory;
}

static void* halve(void* unused) {
  assert(halved[0] == 'h' && halved[SIZE - 1] == 'h');
  assert(munmap(halved + SIZE / 2, SIZE / 2) == 0);
  point();
  halved[0] = 'x';
  assert(munmap(halved, SIZE / 2) == 0);
  return unused;
}

static void* replace(void* unused) {
  assert(replaced[0] == 'r' && replaced[SIZE - 1] == 'r');
  replaced[SIZE - 1] = 'x';
  void* memory = mmap(replaced, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  assert(memory == replaced);
  point();
  assert(replaced[0] == 0 && replaced[SIZE - 1] == 0);
  replaced[0] = 'y';
  return unused;
}

int main(void) {
  halved = map('h');
  replaced = map('r');
  run_two(halve, replace);
  return 0;
}
