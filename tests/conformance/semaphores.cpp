// Unnamed semaphores: counting, waiting, timeouts, the largest value.
#include <limits.h>

#include "check.h"

namespace {

sem_t semaphore;

int value() {
  int result = -1;
  sem_getvalue(&semaphore, &result);
  return result;
}

void check_counting() {
  ERRNO_OF("sem_init", "value 2", 0, sem_init(&semaphore, 0, 2));
  VALUE_OF("sem_getvalue", "as initialized", 2, value());
  ERRNO_OF("sem_wait", "value 2", 0, sem_wait(&semaphore));
  VALUE_OF("sem_getvalue", "after a wait", 1, value());
  ERRNO_OF("sem_trywait", "value 1", 0, sem_trywait(&semaphore));
  VALUE_OF("sem_getvalue", "used up", 0, value());
  ERRNO_OF("sem_trywait", "value 0", EAGAIN, sem_trywait(&semaphore));
  HOLDS("sem_trywait", "value 0, from another thread, whose errno is EAGAIN",
        elsewhere([] { return sem_trywait(&semaphore) == -1 && errno == EAGAIN; }));
  ERRNO_OF("sem_post", "value 0", 0, sem_post(&semaphore));
  VALUE_OF("sem_getvalue", "after a post", 1, value());
  ERRNO_OF("sem_post", "by another thread", 0, elsewhere([] { return sem_post(&semaphore); }));
  VALUE_OF("sem_getvalue", "after a post by another thread", 2, value());
  ERRNO_OF("sem_wait", "value 2, from another thread", 0, elsewhere([] { return sem_wait(&semaphore); }));
  ERRNO_OF("sem_destroy", "nobody waits", 0, sem_destroy(&semaphore));
}

void check_limits() {
  ERRNO_OF("sem_init", "the largest value", 0, sem_init(&semaphore, 0, SEM_VALUE_MAX));
  VALUE_OF("sem_getvalue", "the largest value", SEM_VALUE_MAX, value());
  ERRNO_OF("sem_post", "the largest value", EOVERFLOW, sem_post(&semaphore));
  VALUE_OF("sem_getvalue", "after a post too much", SEM_VALUE_MAX, value());
  ERRNO_OF("sem_trywait", "the largest value", 0, sem_trywait(&semaphore));
  sem_destroy(&semaphore);
  ERRNO_OF("sem_init", "one more than the largest value", EINVAL, sem_init(&semaphore, 0, SEM_VALUE_MAX + 1u));
}

void check_timeouts() {
  sem_init(&semaphore, 0, 0);
  timespec soon = after_ms(CLOCK_REALTIME, 5);
  const long long before = now_ns(CLOCK_REALTIME);
  ERRNO_OF("sem_timedwait", "nobody posts until the deadline", ETIMEDOUT, sem_timedwait(&semaphore, &soon));
  HOLDS("sem_timedwait", "not before the deadline", now_ns(CLOCK_REALTIME) - before >= 5000000);
  ERRNO_OF("sem_timedwait", "value 0, deadline long ago", ETIMEDOUT, sem_timedwait(&semaphore, &kLongAgo));
  ERRNO_OF("sem_timedwait", "value 0, negative nanoseconds", EINVAL, sem_timedwait(&semaphore, &kNegativeNanoseconds));
  ERRNO_OF("sem_timedwait", "value 0, a billion nanoseconds", EINVAL, sem_timedwait(&semaphore, &kTooManyNanoseconds));
  soon = after_ms(CLOCK_MONOTONIC, 5);
  ERRNO_OF("sem_clockwait", "monotonic, nobody posts", ETIMEDOUT, sem_clockwait(&semaphore, CLOCK_MONOTONIC, &soon));
  soon = after_ms(CLOCK_REALTIME, 5);
  ERRNO_OF("sem_clockwait", "real time, nobody posts", ETIMEDOUT, sem_clockwait(&semaphore, CLOCK_REALTIME, &soon));
  ERRNO_OF("sem_clockwait", "processor time", EINVAL, sem_clockwait(&semaphore, CLOCK_PROCESS_CPUTIME_ID, &soon));
  ERRNO_OF("sem_clockwait", "no such clock", EINVAL, sem_clockwait(&semaphore, 77, &soon));
  sem_post(&semaphore);
  ERRNO_OF("sem_timedwait", "value 1, deadline long ago", 0, sem_timedwait(&semaphore, &kLongAgo));
  sem_post(&semaphore);
  ERRNO_OF("sem_clockwait", "value 1, deadline long ago", 0, sem_clockwait(&semaphore, CLOCK_MONOTONIC, &kLongAgo));
  sem_destroy(&semaphore);
}

void check_waiting() {
  sem_init(&semaphore, 0, 0);
  Thread waiter([] { return sem_wait(&semaphore); });
  sched_yield();
  sem_post(&semaphore);
  ERRNO_OF("sem_wait", "posted by another thread", 0, waiter.result());
  VALUE_OF("sem_getvalue", "after the waiter took it", 0, value());
  Thread timed([] {
    const timespec later = after_ms(CLOCK_REALTIME, 60000);
    return sem_timedwait(&semaphore, &later);
  });
  sched_yield();
  sem_post(&semaphore);
  ERRNO_OF("sem_timedwait", "posted before the deadline", 0, timed.result());
  Thread clocked([] {
    const timespec later = after_ms(CLOCK_MONOTONIC, 60000);
    return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &later);
  });
  sched_yield();
  sem_post(&semaphore);
  ERRNO_OF("sem_clockwait", "posted before the deadline", 0, clocked.result());
  const auto wait = [] { return sem_wait(&semaphore); };
  Thread one(wait), two(wait);
  sem_post(&semaphore);
  sem_post(&semaphore);
  ERRNO_OF("sem_post", "twice for two waiters", 0, one.result() + two.result());
  VALUE_OF("sem_getvalue", "two posts, two waits", 0, value());
  ERRNO_OF("sem_destroy", "after the waiters have gone", 0, sem_destroy(&semaphore));
  ERRNO_OF("sem_init", "after destroying it", 0, sem_init(&semaphore, 0, 1));
  ERRNO_OF("sem_destroy", "never used", 0, sem_destroy(&semaphore));
}

}  // namespace

int main() {
  begin_checks();
  check_counting();
  check_limits();
  check_timeouts();
  check_waiting();
  return end_checks();
}
