// The first thread's stack grows during the execution, far beyond what is mapped of it at the start, while others run.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#include <assert.h>
#include <string.h>

#include "snapshot/two_threads.h"

enum { DEPTH = 20, FRAME = 40000 };
static int steps;

static void* count(void* unused) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&point_mutex);
    ++steps;
    pthread_mutex_unlock(&point_mutex);
  }
  return unused;
}

static __attribute__((noinline)) void go_deep(int depth) {
  char frame[FRAME];
  memset(frame, depth, sizeof frame);
  point();
  if (depth != 0)
    go_deep(depth - 1);
  else
    run_two(count, count);
  for (int i = 0; i < FRAME; ++i) assert(frame[i] == depth);
}

int main(void) {
  pthread_t early;
  pthread_create(&early, NULL, count, NULL);
  go_deep(DEPTH);
  pthread_join(early, NULL);
  assert(steps == 9);
  return 0;
}
