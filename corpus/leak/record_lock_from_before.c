// A record lock that was taken before the threads belongs to the process that took it: one that is forked for an
// execution would find it held by another.
// heddle: run
// expect: clean complete
// isolation: exec
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "leak/look_on.h"

static int file;

static struct flock whole(short type) {
  const struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
  return lock;
}

static void* change_lock(void* unused) {
  struct flock lock = whole(F_WRLCK);
  point();
  assert(fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK);
  lock = whole(F_RDLCK);
  assert(fcntl(file, F_SETLK, &lock) == 0);
  return unused;
}

int main(void) {
  FILE* const stream = tmpfile();
  file = fileno(stream);
  struct flock lock = whole(F_WRLCK);
  assert(fcntl(file, F_SETLK, &lock) == 0);
  run_beside(change_lock);
  return 0;
}
