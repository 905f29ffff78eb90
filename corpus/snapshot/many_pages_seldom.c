// Eight megabytes that are written under some schedules only: so many hot pages that they are let cool down now and
// then. Each execution must find them as they were, also after that.
// heddle: run --max-preemptions=3 --checkpoints=never
// expect: clean bound 3
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/two_threads.h"

enum { SIZE = 8 << 20, PAGE = 4096 };
static char* memory;
static int writers;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

static void look(char expected) {
  for (int at = 0; at < SIZE; at += 16 * PAGE) assert(memory[at] == expected);
}

static void* write_if_first(void* unused) {
  pthread_mutex_lock(&order);
  look(7);
  if (++writers == 1) memset(memory, 1, SIZE);
  pthread_mutex_unlock(&order);
  point();
  point();
  return unused;
}

static void* look_on(void* unused) {
  pthread_mutex_lock(&order);
  ++writers;
  look(memory[0]);
  pthread_mutex_unlock(&order);
  point();
  point();
  return unused;
}

int main(void) {
  memory = malloc(SIZE);
  memset(memory, 7, SIZE);
  run_two(look_on, write_if_first);
  assert(writers == 2);
  return 0;
}
