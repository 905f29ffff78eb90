// The same as blocks_in_kernel, by the processor's instruction as in assembly or a static library, and not through
// libc.
// heddle: run --execution-timeout=3s --time=8s
// expect: no verdict
// says: open at raw_blocks.c:29 in main
// says: docs/API.md#open
// isolation: exec
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/raw_calls.h"

static const char* const kPath = "named-pipe";

static void* writer(void* unused) {
  raw_call(SYS_openat, AT_FDCWD, (long)kPath, O_WRONLY, 0, 0, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  unlink(kPath);
  if (mkfifo(kPath, 0600) != 0) return 1;
  pthread_create(&thread, NULL, writer, NULL);
  // Never comes back.
  raw_call(SYS_openat, AT_FDCWD, (long)kPath, O_RDONLY, 0, 0, 0);
  pthread_join(thread, NULL);
  return unlink(kPath);
}
