// Memory that was closed again (PROT_NONE) before the first thread still holds what was written there, so it is no
// reservation that an execution could simply have anew.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: fork
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>

#include "leak/look_on.h"

enum { PAGE = 4096, SIZE = 64 * PAGE };

static char* memory;

static void* open_again(void* unused) {
  assert(mprotect(memory, SIZE, PROT_READ | PROT_WRITE) == 0);
  assert(memory[PAGE] == 'a');
  memory[PAGE] = 'b';
  point();
  assert(memory[PAGE] == 'b');
  return unused;
}

int main(void) {
  memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(memory != MAP_FAILED);
  memory[PAGE] = 'a';
  assert(mprotect(memory, SIZE, PROT_NONE) == 0);
  run_beside(open_again);
  return 0;
}
