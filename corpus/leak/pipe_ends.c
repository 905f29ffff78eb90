// Pipes that were made before the threads, with something in them: in each execution their ends are read, written,
// copied, moved and closed, and their flags changed. The next one finds all as it was, and in each the last end of a
// kind that is closed is the end of the pipe.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "leak/look_on.h"

enum { CAPACITY = 8192 };
static int full[2], empty[2], copy;  // `copy` is a second number of what is written to `full`
static ino_t inode;

static short state_of(int descriptor, short wanted) {
  struct pollfd entry = {.fd = descriptor, .events = wanted};
  poll(&entry, 1, 0);
  return entry.revents;
}

static void look_at_full(void) {
  struct stat status;
  int size = -1;
  assert(fstat(full[0], &status) == 0 && S_ISFIFO(status.st_mode) && status.st_ino == inode);
  assert(ioctl(full[0], FIONREAD, &size) == 0 && size == 6);
  assert(fcntl(full[0], F_GETPIPE_SZ) == CAPACITY);
  assert((fcntl(full[0], F_GETFL) & O_NONBLOCK) == 0 && (fcntl(full[1], F_GETFL) & O_NONBLOCK) != 0);
  assert(fcntl(full[0], F_GETFD) == FD_CLOEXEC && fcntl(full[1], F_GETFD) == 0 && fcntl(copy, F_GETFD) == FD_CLOEXEC);
}

static void use_full(void) {
  char bytes[16];
  assert(read(full[0], bytes, 3) == 3 && memcmp(bytes, "bef", 3) == 0);
  point();
  assert(fcntl(full[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(full[0], F_SETFD, 0) == 0);
  assert(write(copy, "x", 1) == 1 && close(full[1]) == 0);
  assert(state_of(full[0], POLLIN) == POLLIN);
  assert(read(full[0], bytes, sizeof bytes) == 4 && memcmp(bytes, "orex", 4) == 0);
  assert(read(full[0], bytes, 1) == -1 && errno == EAGAIN);
  assert(close(copy) == 0);
  assert(state_of(full[0], POLLIN) == POLLHUP && read(full[0], bytes, 1) == 0);
}

static void use_empty(void) {
  char byte = 0;
  assert(state_of(empty[0], POLLIN) == 0 && state_of(empty[1], POLLOUT) == POLLOUT);
  const int second = dup(empty[0]);
  assert(second >= 0 && close(empty[0]) == 0);
  assert(write(empty[1], "e", 1) == 1 && read(second, &byte, 1) == 1 && byte == 'e');
  assert(dup2(empty[1], full[0]) == full[0]);  // the number of another
  point();
  assert(write(full[0], "f", 1) == 1 && close(second) == 0);
  assert(write(full[0], "g", 1) == -1 && errno == EPIPE);
}

static void* use(void* unused) {
  look_at_full();
  use_full();
  use_empty();
  return unused;
}

int main(void) {
  struct stat status;
  signal(SIGPIPE, SIG_IGN);
  assert(pipe2(full, O_CLOEXEC) == 0 && pipe(empty) == 0);
  assert(fcntl(full[1], F_SETPIPE_SZ, CAPACITY) == CAPACITY);
  copy = fcntl(full[1], F_DUPFD_CLOEXEC, 10);
  assert(copy >= 10 && write(full[1], "before", 6) == 6);
  assert(fcntl(full[1], F_SETFL, O_NONBLOCK) == 0 && fcntl(full[1], F_SETFD, 0) == 0);
  assert(fstat(full[0], &status) == 0);
  inode = status.st_ino;
  run_beside(use);
  return 0;
}
