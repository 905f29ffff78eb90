// A lock built on raw futex calls that keeps "somebody waits" in the word itself (Drepper, "Futexes are tricky").
//
// heddle: run
// expect: clean bound 2
// twin: raw_futex_forgotten.c
#include <pthread.h>

#include "io/raw_calls.h"

static volatile uint32_t word;  // 0: free, 1: taken, 2: taken, and somebody may wait
static int count;

static void take(void) {
  uint32_t seen = 0;
  if (__atomic_compare_exchange_n(&word, &seen, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) return;
  raw_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
  while (__atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE) != 0) raw_wait(&word, 2);
}

static void give_back(void) {
  raw_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
  if (__atomic_exchange_n(&word, 0, __ATOMIC_RELEASE) == 2) raw_wake(&word, 1);
}

static void* work(void* argument) {
  take();
  ++count;
  give_back();
  return argument;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, work, NULL);
  pthread_create(&second, NULL, work, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return count != 2;
}
