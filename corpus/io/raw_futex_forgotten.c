// A lock built on raw futex calls forgets to wake: the fast path of the unlock does not see the waiter, who has looked
// at the word before and begins to wait after.
//
// heddle: run
// expect: bug deadlock at bound 0
// says: raw_futex_forgotten.c
// twin: raw_futex_lock.c
#include <pthread.h>

#include "io/raw_calls.h"

static volatile uint32_t taken, waiting;
static int count;

static void take(void) {
  while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE) != 0) {
    raw_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    waiting = 1;
    raw_wait(&taken, 1);
  }
}

static void give_back(void) {
  const uint32_t wake = waiting;
  waiting = 0;
  raw_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
  __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
  if (wake != 0) raw_wake(&taken, 1);
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
}
