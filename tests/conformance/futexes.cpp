// System calls by number: futexes as libraries use them, and what syscall() does with others.
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "check.h"

namespace {

uint32_t word, second;

long futex(uint32_t* at, int operation, uint32_t value, const timespec* time = nullptr, uint32_t* other = nullptr,
           uint32_t value3 = 0) {
  return syscall(SYS_futex, at, operation | FUTEX_PRIVATE_FLAG, value, time, other, value3);
}

void check_wait_errors() {
  word = 5;
  ERRNO_OF("syscall", "futex wait, another value", EAGAIN, futex(&word, FUTEX_WAIT, 4));
  timespec time = {0, 5000000};
  ERRNO_OF("syscall", "futex wait, a time that passes", ETIMEDOUT, futex(&word, FUTEX_WAIT, 5, &time));
  ERRNO_OF("syscall", "futex wait, a billion nanoseconds", EINVAL, futex(&word, FUTEX_WAIT, 5, &kTooManyNanoseconds));
  ERRNO_OF("syscall", "futex wait, negative nanoseconds", EINVAL, futex(&word, FUTEX_WAIT, 5, &kNegativeNanoseconds));
  time = after_ms(CLOCK_MONOTONIC, 5);
  ERRNO_OF("syscall", "futex wait with bits, until a time", ETIMEDOUT,
           futex(&word, FUTEX_WAIT_BITSET, 5, &time, nullptr, FUTEX_BITSET_MATCH_ANY));
  time = after_ms(CLOCK_REALTIME, 5);
  ERRNO_OF("syscall", "futex wait with bits, until a real time", ETIMEDOUT,
           futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 5, &time, nullptr, 1));
  ERRNO_OF("syscall", "futex wait with bits, until a time long ago", ETIMEDOUT,
           futex(&word, FUTEX_WAIT_BITSET, 5, &kLongAgo, nullptr, 1));
  ERRNO_OF("syscall", "futex wait with no bits", EINVAL, futex(&word, FUTEX_WAIT_BITSET, 5, nullptr, nullptr, 0));
  ERRNO_OF("syscall", "futex wake with no bits", EINVAL, futex(&word, FUTEX_WAKE_BITSET, 1, nullptr, nullptr, 0));
  VALUE_OF("syscall", "futex wake, nobody waits", 0, futex(&word, FUTEX_WAKE, 1));
  ERRNO_OF("syscall", "no such futex operation", ENOSYS, futex(&word, 99, 1));
}

// How many of `threads` waiters one wake of `number` has let go; the others are woken afterwards.
template <class Wait>
long woken_of_three(Wait wait, int operation, uint32_t number, uint32_t bits) {
  __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
  Thread one(wait), two(wait), three(wait);
  long woken = 0;
  // Whoever waits is in the queue sometime: they are counted as they are woken, one call at a time.
  while (woken < number) {
    woken += futex(&word, operation, number - static_cast<uint32_t>(woken), nullptr, nullptr, bits);
    sched_yield();
  }
  const long result = woken;
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  futex(&word, FUTEX_WAKE, 100);
  one.result(), two.result(), three.result();
  return result;
}

void check_waking() {
  const auto wait = [] {
    while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0) futex(&word, FUTEX_WAIT, 0);
    return 0;
  };
  const auto wait_bits = [] {
    while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0) futex(&word, FUTEX_WAIT_BITSET, 0, nullptr, nullptr, 6);
    return 0;
  };
  VALUE_OF("syscall", "futex wake of one", 1, woken_of_three(wait, FUTEX_WAKE, 1, 0));
  VALUE_OF("syscall", "futex wake of two", 2, woken_of_three(wait, FUTEX_WAKE, 2, 0));
  VALUE_OF("syscall", "futex wake by a bit that fits", 1, woken_of_three(wait_bits, FUTEX_WAKE_BITSET, 1, 4));
  word = 0;
  Thread waiter(wait_bits);
  VALUE_OF("syscall", "futex wake by a bit that does not fit", 0,
           futex(&word, FUTEX_WAKE_BITSET, 1, nullptr, nullptr, 8));
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  futex(&word, FUTEX_WAKE, 1);
  VALUE_OF("syscall", "futex wait ends when the value has changed", 0, waiter.result());
}

void check_requeue() {
  word = 0, second = 0;
  ERRNO_OF("syscall", "futex compare and requeue, another value", EAGAIN,
           syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1L, &second, 7));
  VALUE_OF("syscall", "futex compare and requeue, nobody waits", 0,
           syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1L, &second, 0));
  Thread waiter([] {
    while (__atomic_load_n(&second, __ATOMIC_SEQ_CST) == 0 && __atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
      futex(&word, FUTEX_WAIT, 0);
    return 0;
  });
  long moved = 0;
  while (moved == 0) {
    moved = syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 0, 1L, &second, 0);
    sched_yield();
  }
  VALUE_OF("syscall", "futex requeue of a waiter", 1, moved);
  VALUE_OF("syscall", "futex wake at the old place", 0, futex(&word, FUTEX_WAKE, 1));
  __atomic_store_n(&second, 1, __ATOMIC_SEQ_CST);
  VALUE_OF("syscall", "futex wake at the new place", 1, futex(&second, FUTEX_WAKE, 1));
  waiter.result();
}

void check_others() {
  HOLDS("syscall", "getpid", syscall(SYS_getpid) == getpid());
  HOLDS("syscall", "gettid", syscall(SYS_gettid) == gettid());
  VALUE_OF("syscall", "gettid in another thread", 1, elsewhere([] { return syscall(SYS_gettid) == gettid(); }));
  ERRNO_OF("syscall", "sched_yield", 0, syscall(SYS_sched_yield));
  ERRNO_OF("syscall", "no such number", ENOSYS, syscall(100000));
  ERRNO_OF("syscall", "close of no descriptor", EBADF, syscall(SYS_close, -1));
  timespec now = {}, after = {};
  ERRNO_OF("syscall", "clock_gettime", 0, syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now));
  clock_gettime(CLOCK_MONOTONIC, &after);
  HOLDS("syscall", "clock_gettime shows the same clock as the function",
        after.tv_sec - now.tv_sec <= 1 && after.tv_sec >= now.tv_sec);
  const timespec millisecond = {0, 1000000};
  const long long before = now_ns(CLOCK_MONOTONIC);
  ERRNO_OF("syscall", "nanosleep", 0, syscall(SYS_nanosleep, &millisecond, nullptr));
  HOLDS("syscall", "nanosleep, not shorter than asked", now_ns(CLOCK_MONOTONIC) - before >= 1000000);
}

}  // namespace

int main() {
  begin_checks();
  check_wait_errors();
  check_waking();
  check_requeue();
  check_others();
  return end_checks();
}
