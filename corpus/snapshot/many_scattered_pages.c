// An execution that writes one byte into each second page of 16 MB, which was filled before the threads: each write is
// undone, though no two written pages are neighbours.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/two_threads.h"

enum { PAGE = 4096, SIZE = 16 << 20 };
static char* memory;

static void* write_scattered(void* unused) {
  for (int i = 0; i < SIZE; i += 2 * PAGE) {
    assert(memory[i] == 'm');
    memory[i] = 'w';
  }
  point();
  return unused;
}

static void* look_on(void* unused) {
  point();
  return unused;
}

int main(void) {
  memory = malloc(SIZE);
  memset(memory, 'm', SIZE);
  run_two(write_scattered, look_on);
  return 0;
}
