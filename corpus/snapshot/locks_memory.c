// Memory is locked and unlocked by the threads: nothing that a snapshot would not undo.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "snapshot/two_threads.h"

static void* lock_block(void* unused) {
  char* block = calloc(1, 100);
  const int locked = mlock(block, 100);  // may be refused: nothing depends on it
  assert(locked == mlock2(block, 100, 0));
  point();
  assert(munlock(block, 100) == 0);
  free(block);
  return unused;
}

int main(void) {
  run_two(lock_block, lock_block);
  return 0;
}
