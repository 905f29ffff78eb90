// Stacks larger than the default, of sizes that come in an order which the schedule decides: each is fresh in every
// execution, whatever an earlier one had there, and its threads' operations can be gone on from by checkpoints.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// twin: large_stack_overflows.c
#include <assert.h>

#include "snapshot/two_threads.h"

static size_t sizes[] = {16 << 20, 40 << 20, 24 << 20};

// Far below the frames of now, where nothing has been before.
static void look_below(void) {
  volatile char* below = (char*)__builtin_frame_address(0) - (12 << 20);
  for (int i = 0; i < 4; ++i) {
    assert(below[i << 16] == 0);
    below[i << 16] = 'x';
  }
}

static void* use(void* unused) {
  volatile int here = 7;
  point();
  look_below();
  point();
  assert(here == 7);
  return unused;
}

static void run_on(size_t size) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  assert(pthread_attr_setstacksize(&attributes, size) == 0);
  assert(pthread_create(&thread, &attributes, use, NULL) == 0);
  pthread_attr_destroy(&attributes);
  pthread_join(thread, NULL);
}

static void* create_one(void* size) {
  run_on(*(size_t*)size);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, create_one, &sizes[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  run_on(sizes[2]);
  return 0;
}
