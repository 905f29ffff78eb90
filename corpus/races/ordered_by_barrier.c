// What a barrier orders.
// heddle: run
// expect: clean complete
// twin: races/race_counter.c
// build: heddle-cc clang
#include "races/two_threads.h"

static int values[2];
static pthread_barrier_t barrier;
__attribute__((constructor)) static void make(void) { pthread_barrier_init(&barrier, NULL, 2); }

static void work(int self) {
  values[self] = 1;
  pthread_barrier_wait(&barrier);
  printf("%d\n", values[1 - self]);
  pthread_barrier_wait(&barrier);
  values[self] = 2;
}

static void first(void) { work(0); }
static void second(void) { work(1); }
static void last(void) {}
