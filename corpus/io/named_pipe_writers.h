// Two threads write a message each to a named pipe; the main thread reads until nobody has it open for writing any
// more.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* const kPath = "messages";

static void* write_message(void* argument) {
  const int end = open(kPath, O_WRONLY);
  if (end < 0 || write(end, "m", 1) != 1) abort();
  close(end);
  return argument;
}

static void make_pipe(void) {
  unlink(kPath);
  if (mkfifo(kPath, 0600) != 0) abort();
}

static void join_and_remove(pthread_t first, pthread_t second) {
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  unlink(kPath);
}
