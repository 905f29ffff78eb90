// What futex() answers where nobody waits: values, wrong arguments, locks. As natively, one by one.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t word, word2;

static long futex(void* address, int operation, uint32_t value, void* time, void* address2, uint32_t value3) {
  const long result = syscall(SYS_futex, address, operation, value, time, address2, value3);
  return result < 0 ? -errno : result;
}

static void* number(long value) { return (void*)value; }

static void check_addresses(void) {
  char* odd = (char*)&word + 1;
  struct timespec moment = {0, 1000}, wrong = {0, 1000000000}, negative = {-1, 0};
  assert(futex(NULL, FUTEX_WAIT, 0, NULL, NULL, 0) == -EFAULT);
  assert(futex(odd, FUTEX_WAIT, 0, NULL, NULL, 0) == -EINVAL);
  assert(futex(NULL, FUTEX_WAKE, 1, NULL, NULL, 0) == -EFAULT);
  assert(futex(NULL, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0);
  assert(futex(odd, FUTEX_WAKE, 1, NULL, NULL, 0) == -EINVAL);
  assert(futex(number(-4096), FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == -EFAULT);
  assert(futex(&word, FUTEX_WAIT, 0, &wrong, NULL, 0) == -EINVAL);
  assert(futex(&word, FUTEX_WAIT, 0, &negative, NULL, 0) == -EINVAL);
  assert(futex(&word, FUTEX_WAIT, 0, number(8), NULL, 0) == -EFAULT);
  assert(futex(&word, FUTEX_WAIT | FUTEX_CLOCK_REALTIME, 0, &moment, NULL, 0) == -ENOSYS);
  assert(futex(&word, FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 1, NULL, NULL, 0) == -ENOSYS);
  assert(futex(&word, FUTEX_WAIT_BITSET, 0, &moment, NULL, 0) == -EINVAL);
  assert(futex(&word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0) == -EINVAL);
  assert(futex(&word, FUTEX_FD, 0, NULL, NULL, 0) == -ENOSYS);
  assert(futex(&word, 100, 0, NULL, NULL, 0) == -ENOSYS);
}

static void check_waits(void) {
  struct timespec moment = {0, 1000};
  assert(futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0) == -EAGAIN);
  assert(futex(&word, FUTEX_WAIT, 0, &moment, NULL, 0) == -ETIMEDOUT);
  assert(futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &moment, NULL, 1) == -ETIMEDOUT);
  assert(futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
}

static void check_requeue(void) {
  assert(futex(&word, FUTEX_REQUEUE, -1, number(1), &word2, 0) == -EINVAL);
  assert(futex(&word, FUTEX_REQUEUE, 1, number(-1), &word2, 0) == -EINVAL);
  assert(futex(&word, FUTEX_REQUEUE, 1, number(1), NULL, 0) == -EFAULT);
  assert(futex(&word, FUTEX_REQUEUE_PRIVATE, 1, number(1), NULL, 0) == 0);
  assert(futex(&word, FUTEX_CMP_REQUEUE, 1, number(1), &word2, 1) == -EAGAIN);
  assert(futex(&word, FUTEX_CMP_REQUEUE, 1, number(1), &word2, 0) == 0);
  assert(futex(NULL, FUTEX_CMP_REQUEUE_PRIVATE, 1, number(1), &word2, 0) == -EFAULT);
}

static void check_wake_operation(void) {
  const uint32_t add = FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 0);
  assert(futex(&word, FUTEX_WAKE_OP, 1, number(1), &word2, add) == 0 && word2 == 3);
  const uint32_t and_not = FUTEX_OP(FUTEX_OP_ANDN, 1, FUTEX_OP_CMP_EQ, 0);
  assert(futex(&word, FUTEX_WAKE_OP, 1, number(1), &word2, and_not) == 0 && word2 == 2);
  const uint32_t shifted = FUTEX_OP((FUTEX_OP_OPARG_SHIFT | FUTEX_OP_OR), 4, FUTEX_OP_CMP_EQ, 0);
  assert(futex(&word, FUTEX_WAKE_OP, 1, number(1), &word2, shifted) == 0 && word2 == 18);
  assert(futex(&word, FUTEX_WAKE_OP, 1, number(1), &word2, FUTEX_OP(7, 0, 0, 0)) == -ENOSYS);
  assert(futex(&word, FUTEX_WAKE_OP, 1, number(1), &word2, FUTEX_OP(1, 0, 9, 0)) == -ENOSYS && word2 == 18);
  assert(futex(&word, FUTEX_WAKE_OP, 1, number(1), NULL, 0) == -EFAULT);
  assert(futex(&word, FUTEX_WAKE_OP, 1, number(1), &word2, 0) == 0 && word2 == 0);
}

static void check_locks(void) {
  const uint32_t self = (uint32_t)gettid();
  assert(futex(&word2, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == 0 && word2 == self);
  assert(futex(&word2, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == -EDEADLK);
  assert(futex(&word2, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == -EDEADLK);
  assert(futex(&word2, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0 && word2 == 0);
  assert(futex(&word2, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == -EPERM);
  assert(futex(NULL, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == -EFAULT);
  word2 = FUTEX_OWNER_DIED;
  assert(futex(&word2, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0 && word2 == (self | FUTEX_OWNER_DIED));
  assert(futex(&word2, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0 && word2 == 0);
}

static void* check(void* unused) {
  check_addresses();
  check_waits();
  check_requeue();
  check_wake_operation();
  check_locks();
  return unused;
}

int main(void) {
  pthread_t thread;
  check(NULL);
  pthread_create(&thread, NULL, check, NULL);
  pthread_join(thread, NULL);
  return 0;
}
