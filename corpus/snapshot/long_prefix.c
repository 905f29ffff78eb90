// Long computations between few operations: what they are behind is kept, with what was printed and the futexes that
// were known there, and gone on from when the search comes back to an early choice.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

enum { ROUNDS = 3000000 };
static volatile uint64_t result = 1;
static uint32_t words[2];
static int order;

static void wake(int word) { syscall(SYS_futex, &words[word], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

static void compute(const char* what) {
  for (long i = 0; i < ROUNDS; ++i) result = result * 6364136223846793005u + 1;
  printf("computed %s after %d\n", what, order);
  fflush(stdout);
}

static void* first(void* unused) {
  order = order * 2 + 1;
  wake(order & 1);
  return unused;
}

static void* sections(void* unused) {
  for (int i = 0; i < 2; ++i) point();
  wake(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, first, NULL);
  order = order * 2;
  wake(order & 1);
  pthread_join(thread, NULL);
  compute("alone");
  pthread_create(&thread, NULL, sections, NULL);
  point();
  compute("beside another");
  wake(order & 1);
  point();
  pthread_join(thread, NULL);
  assert(order == 1 || order == 2);
  assert(result != 0);
  return 0;
}
