// A lock of fcntl(F_SETLK), which belongs to the process: it is gone when a process of its own has ended. A child
// looks, since a process doesn't see its own locks.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: fork
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "leak/look_on.h"

static int file;

static int seen_by_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    struct flock seen = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    _exit(fcntl(file, F_GETLK, &seen) == 0 && seen.l_type == F_UNLCK ? 0 : 1);
  }
  int status = -1;
  assert(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void* lock(void* unused) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  assert(seen_by_child() == 0);
  point();
  assert(fcntl(file, F_SETLK, &whole) == 0);
  assert(seen_by_child() == 1);
  return unused;
}

int main(void) {
  char name[] = "/tmp/heddle_corpus_XXXXXX";
  file = mkstemp(name);
  assert(file >= 0 && unlink(name) == 0);
  run_beside(lock);
  return 0;
}
