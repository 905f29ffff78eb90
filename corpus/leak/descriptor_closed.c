// A descriptor that was opened before the threads is closed during the test, and another one moved to its number.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "leak/look_on.h"

static int ends[2];

static int is_pipe(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
}

static void* close_and_move(void* unused) {
  assert(is_pipe(ends[0]) && is_pipe(ends[1]));
  assert(close(ends[0]) == 0);
  const int null = open("/dev/null", O_RDONLY);
  point();
  assert(dup2(null, ends[1]) == ends[1]);
  assert(!is_pipe(ends[1]));
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  run_beside(close_and_move);
  return 0;
}
