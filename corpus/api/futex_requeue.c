// Two waiters are moved from one futex to another; then each is woken there. However it comes, all go on, and the
// counts agree with what the waits return.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t first, second;
static long woken;

static void* wait_on_first(void* unused) {
  if (syscall(SYS_futex, &first, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0)
    ++woken;
  else
    assert(errno == EAGAIN);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, wait_on_first, NULL);
  const long moved = syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void*)2, &second, 0);
  assert(moved >= 0 && moved <= 2);
  first = 1;
  const long late = syscall(SYS_futex, &first, FUTEX_WAKE_PRIVATE, 2, NULL, NULL, 0);
  const uint32_t set_to_zero = FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 0);
  const long there = syscall(SYS_futex, &first, FUTEX_WAKE_OP_PRIVATE, 1, (void*)2, &second, set_to_zero);
  assert(there == moved);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(woken == moved + late);
  return 0;
}
