// What streams hold is lost at _exit(): nobody writes it, waits for room in a pipe, or calls who takes a stream's text.
// heddle: run
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

static ssize_t never(void* cookie, const char* text, size_t size) {
  (void)cookie, (void)text, (void)size;
  abort();
}

static FILE* to_full_pipe(void) {
  static const char block[4096];
  int ends[2];
  assert(pipe(ends) == 0);
  assert(fcntl(ends[1], F_SETPIPE_SZ, sizeof block) >= (int)sizeof block);
  assert(write(ends[1], block, sizeof block) == sizeof block);
  return fdopen(ends[1], "w");
}

static void* look_on(void* unused) {
  point();
  return unused;
}

static void* end(void* unused) {
  const cookie_io_functions_t functions = {.write = never};
  fprintf(fopencookie(NULL, "w", functions), "for nobody");
  fprintf(to_full_pipe(), "no room");
  printf("not finished");
  point();
  _exit(0);
  return unused;
}

int main(void) {
  run_two(end, look_on);
  return 1;
}
