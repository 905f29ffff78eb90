// A thread reads from a pipe, made before the threads, that another one writes to.
//
// heddle: run
// expect: clean complete
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void* writer(void* unused) {
  const char byte = 1;
  if (write(ends[1], &byte, 1) != 1) return NULL;
  return unused;
}

int main(void) {
  pthread_t thread;
  char byte;
  if (pipe(ends) != 0) return 1;
  pthread_create(&thread, NULL, writer, NULL);
  if (read(ends[0], &byte, 1) != 1) return 2;
  pthread_join(thread, NULL);
  return 0;
}
