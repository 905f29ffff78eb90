// A reader goes on until the end of a pipe that was made before it; a writer has an end of its own.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2], own_end;

static void* write_two(void* unused) {
  for (int i = 0; i < 2; ++i) assert(write(own_end, "w", 1) == 1);
#ifndef KEPT_OPEN
  close(own_end);
#endif
  return unused;
}

static void* read_all(void* unused) {
  char byte;
  int count = 0;
  while (read(ends[0], &byte, 1) == 1) ++count;
  assert(count == 2);
  return unused;
}

int main(void) {
  pthread_t reader, writer;
  assert(pipe(ends) == 0 && (own_end = dup(ends[1])) >= 0);
  pthread_create(&reader, NULL, read_all, NULL);
  pthread_create(&writer, NULL, write_two, NULL);
  close(ends[1]);
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
  close(ends[0]);
  return 0;
}
