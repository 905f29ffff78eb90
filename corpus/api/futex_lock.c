// A lock of FUTEX_LOCK_PI keeps two threads apart, also where the fast path in user space takes it.
// heddle: run
// expect: clean complete
// twin: futex_lock_deadlock.c
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t word;
static int inside;

static void lock(void) {
  uint32_t free = 0;
  if (atomic_compare_exchange_strong(&word, &free, (uint32_t)gettid())) return;
  assert(syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
}

static void unlock(void) {
  uint32_t self = (uint32_t)gettid();
  if (atomic_compare_exchange_strong(&word, &self, 0)) return;
  assert(syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
}

static void* work(void* unused) {
  lock();
  assert(++inside == 1);
  sched_yield();
  --inside;
  unlock();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(word == 0);
  return 0;
}
