// A file is made in the current folder, which must not be there yet: each execution needs a folder of its own.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: exec
// runner: isolation_test.py
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

#include "leak/look_on.h"

static void* create(void* unused) {
  point();
  const int file = open("made_by_the_test", O_CREAT | O_EXCL | O_WRONLY, 0600);
  assert(file >= 0);
  assert(write(file, "text", 4) == 4 && close(file) == 0);
  return unused;
}

int main(void) {
  run_beside(create);
  return 0;
}
