// A thread opens a named pipe and waits for another to open its other end: the kernel blocks it in open(), which the
// model does not see.
// heddle: run --execution-timeout=3s --time=8s
// expect: no verdict
// says: open at blocks_in_kernel.c:29
// says: docs/API.md#open
// isolation: exec
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* const kPath = "named-pipe";

static void* writer(void* unused) {
  const int end = open(kPath, O_WRONLY);
  if (end >= 0) close(end);
  return unused;
}

int main(void) {
  pthread_t thread;
  unlink(kPath);
  if (mkfifo(kPath, 0600) != 0) return 1;
  pthread_create(&thread, NULL, writer, NULL);

  // Never comes back.
  const int end = open(kPath, O_RDONLY);
  pthread_join(thread, NULL);
  close(end);
  return unlink(kPath);
}
