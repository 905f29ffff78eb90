// A child process that writes to what it has from its parent: data, its stack, the heap. With --isolation=snapshot, by
// hand, its pages were protected, and nobody mended its faults (tests/e2e/isolation_test.py).
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: fork
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "leak/look_on.h"

enum { kBytes = 100000 };
static char data[kBytes];

static void* have_child(void* unused) {
  char* const block = malloc(kBytes);
  point();
  const pid_t child = fork();
  if (child == 0) {
    char stack[kBytes];
    memset(stack, 1, sizeof stack);
    memset(data, 2, sizeof data);
    memset(block, 3, kBytes);
    char* const other = malloc(kBytes);
    memset(other, 4, kBytes);
    _exit(stack[7] + data[kBytes - 1] + block[kBytes / 2] + other[0]);
  }
  int status = 0;
  assert(child > 0 && waitpid(child, &status, 0) == child);
  point();
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 10 && data[0] == 0);
  free(block);
  return unused;
}

int main(void) {
  run_beside(have_child);
  return 0;
}
