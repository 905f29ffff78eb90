// The flags of standard output belong to the file that it is, which all executions share: what one has set is not there
// in the next.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

static int before;

static void* set_flags(void* unused) {
  assert(fcntl(STDOUT_FILENO, F_GETFL) == before);
  printf("a line\n");
  assert(fcntl(STDOUT_FILENO, F_SETFL, before ^ (O_NONBLOCK | O_APPEND)) == 0);
  point();
  assert(fcntl(STDOUT_FILENO, F_GETFL) == (before ^ (O_NONBLOCK | O_APPEND)));
  return unused;
}

static void* print(void* unused) {
  printf("another\n");
  point();
  return unused;
}

int main(void) {
  before = fcntl(STDOUT_FILENO, F_GETFL);
  assert((before & O_NONBLOCK) == 0);
  run_two(set_flags, print);
  return 0;
}
