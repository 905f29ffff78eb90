// A file that was opened before the threads is locked in each execution and not unlocked, by flock() and by a lock of
// the open file description: the next execution must find it unlocked.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: exec
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "leak/look_on.h"

static int file, witness;

static void* lock(void* unused) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  struct flock seen = whole;
  assert(flock(witness, LOCK_EX | LOCK_NB) == 0 && flock(witness, LOCK_UN) == 0);
  assert(fcntl(witness, F_OFD_GETLK, &seen) == 0 && seen.l_type == F_UNLCK);
  point();
  assert(flock(file, LOCK_EX | LOCK_NB) == 0);
  assert(fcntl(file, F_OFD_SETLK, &whole) == 0);
  return unused;
}

int main(void) {
  char name[] = "/tmp/heddle_corpus_XXXXXX", again[64];
  file = mkstemp(name);
  assert(file >= 0);
  snprintf(again, sizeof again, "/proc/self/fd/%d", file);
  witness = open(again, O_RDWR);
  assert(witness >= 0 && unlink(name) == 0);
  run_beside(lock);
  return 0;
}
