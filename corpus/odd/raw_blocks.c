// The same as blocks_in_kernel, by the processor's instruction as in assembly or a static library, and not through
// libc.
// heddle: run --execution-timeout=2s --time=6s
// expect: no verdict
// says: write at raw_calls.h
// says: docs/API.md#write
// isolation: exec
#define _XOPEN_SOURCE 600
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/raw_calls.h"

static int terminal;

static void* reader(void* unused) {
  static char taken[4096];
  while (read(terminal, taken, sizeof taken) > 0) continue;
  return unused;
}

int main(void) {
  pthread_t thread;
  static char much[1 << 20];
  long left = sizeof much;
  terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return 1;
  const int end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  if (end < 0) return 1;
  pthread_create(&thread, NULL, reader, NULL);
  // Never comes to its end.
  while (left > 0) left -= raw_call(SYS_write, end, (long)much, left, 0, 0, 0);
  return 0;
}
