// A recursion without an end on the second of two stacks larger than the default: it runs into what is not mapped below
// it, and not into the other.
// heddle: run
// expect: bug crash at bound 0
// twin: large_stacks.c
#include <assert.h>

#include "snapshot/two_threads.h"

static int descend(volatile int* above) {
  volatile int here[4096] = {*above + 1};
  if (*above < 0) return 0;  // never
  return descend(here) + here[1];
}

static volatile int result;

static void* overflow(void* unused) {
  volatile int top = 0;
  point();
  result = descend(&top);
  return unused;
}

static void* wait_below(void* unused) {
  volatile int here = 7;
  point();
  assert(here == 7);
  return unused;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  assert(pthread_attr_setstacksize(&attributes, 16 << 20) == 0);
  pthread_t threads[3];
  assert(pthread_create(&threads[0], &attributes, wait_below, NULL) == 0);
  assert(pthread_create(&threads[1], &attributes, overflow, NULL) == 0);
  assert(pthread_create(&threads[2], &attributes, wait_below, NULL) == 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
