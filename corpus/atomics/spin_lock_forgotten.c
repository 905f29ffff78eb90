// A spin lock that is not given back on one path: the other thread spins for ever, without yielding.
// heddle: run
// expect: bug livelock at bound 0
// says: reads lock again and again, which nobody will change
// says: spin_lock_forgotten.c:14
// twin: atomics/spin_lock.c
// build: heddle-cc
#include "atomics/two_threads.h"

static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_int jobs = 1;

static void* work(void* unused) {
  while (atomic_flag_test_and_set(&lock)) {
  }
  be_alone();
  if (atomic_fetch_sub(&jobs, 1) <= 0) return unused;
  while (atomic_load(&jobs) > 5) {
  }
  if (atomic_load(&jobs) == 0) return unused;  // the last job is done: it forgets to give the lock back
  atomic_flag_clear(&lock);
  return unused;
}

int main(void) { return run_two(work); }
