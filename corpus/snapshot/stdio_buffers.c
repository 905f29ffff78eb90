// Text in stdio's buffers: written before the threads and not yet flushed, written by the threads, and left unflushed
// at the end. The buffer is the same at the start of every execution, and what comes out is whole.
// heddle: run --output=all
// expect: clean complete
// says: before, during by a thread, at the end
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "snapshot/two_threads.h"

static FILE* in_memory;
static char memory[200];
static int lines;

static void* print(void* unused) {
  pthread_mutex_lock(&point_mutex);
  fputs("during by a thread, ", stdout);
  ++lines;
  assert(fprintf(in_memory, "%d ", lines) == 2);
  assert(fflush(in_memory) == 0);
  assert(strcmp(memory, "before 1 ") == 0);
  pthread_mutex_unlock(&point_mutex);
  return unused;
}

static void* look_on(void* unused) {
  point();
  return unused;
}

int main(void) {
  setvbuf(stdout, NULL, _IOFBF, 4096);
  fputs("before, ", stdout);
  in_memory = fmemopen(memory, sizeof memory, "w");
  assert(in_memory != NULL);
  fputs("before ", in_memory);
  run_two(print, look_on);
  fputs("at the end\n", stdout);
  return 0;
}
