// Recursion of a megabyte and a large alloca, in main and in a thread, with switches at the bottom.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#include <alloca.h>
#include <assert.h>
#include <string.h>

#include "snapshot/two_threads.h"

enum { DEPTH = 256, FRAME = 4096, BLOCK = 512 << 10 };

static int descend(int depth) {
  volatile char frame[FRAME];
  frame[0] = frame[FRAME - 1] = (char)depth;
  if (depth == 0) {
    point();
    return 0;
  }
  const int below = descend(depth - 1);
  assert(frame[0] == (char)depth && frame[FRAME - 1] == (char)depth);
  return below + 1;
}

static void* work(void* unused) {
  assert(descend(DEPTH) == DEPTH);
  char* block = alloca(BLOCK);
  memset(block, 'b', BLOCK);
  point();
  assert(block[0] == 'b' && block[BLOCK - 1] == 'b');
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  return 0;
}
