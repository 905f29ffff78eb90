// Writes to standard output and standard error only, by stdio and by write(): nothing that snapshots can't undo.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

#include "leak/look_on.h"

static void* print(void* unused) {
  puts("a line by stdio");
  assert(write(STDOUT_FILENO, "a line by write\n", 16) == 16);
  point();
  fprintf(stderr, "a line for standard error\n");
  return unused;
}

int main(void) {
  run_beside(print);
  return 0;
}
