// A thread writes more to a terminal than it holds, for another to read: the kernel blocks it in write(), which is not
// modelled for terminals.
// heddle: run --execution-timeout=2s --time=6s
// expect: no verdict
// says: write at blocks_in_kernel.c:25
// says: docs/API.md#write
// isolation: exec
#define _XOPEN_SOURCE 600
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int terminal;

static void* reader(void* unused) {
  static char taken[4096];
  while (read(terminal, taken, sizeof taken) > 0) continue;
  return unused;
}

// Never comes back. (Who looks at a stuck process stops it for a moment: then a terminal says how far it has come.)
static void fill(int end, const char* text, size_t size) {
  while (size > 0) {
    const ssize_t written = write(end, text, size);
    if (written < 0) abort();
    size -= (size_t)written;
  }
}

int main(void) {
  pthread_t thread;
  static char much[1 << 20];
  terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return 1;
  const int end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  if (end < 0) return 1;
  pthread_create(&thread, NULL, reader, NULL);
  fill(end, much, sizeof much);
  return 0;
}
