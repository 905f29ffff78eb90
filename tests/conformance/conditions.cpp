// Condition variables: waits that are signalled, time out, or are given wrong times.
#include "check.h"

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

// Waits with `wait` until another thread has set a flag and called `wake`.
template <class Wait>
int woken_by(Wait wait, int (*wake)(pthread_cond_t*)) {
  static bool set;
  set = false;
  pthread_mutex_lock(&mutex);
  Thread waker([=] {
    pthread_mutex_lock(&mutex);
    set = true;
    const int error = wake(&condition);
    pthread_mutex_unlock(&mutex);
    return error;
  });
  int error = 0;
  while (!set && error == 0) error = wait();
  pthread_mutex_unlock(&mutex);
  return error != 0 ? error : waker.result();
}

void check_waking() {
  const auto wait = [] { return pthread_cond_wait(&condition, &mutex); };
  const auto timed = [] {
    const timespec later = after_ms(CLOCK_REALTIME, 60000);
    return pthread_cond_timedwait(&condition, &mutex, &later);
  };
  const auto clock = [] {
    const timespec later = after_ms(CLOCK_MONOTONIC, 60000);
    return pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &later);
  };
  ERROR_OF("pthread_cond_wait", "signalled", 0, woken_by(wait, pthread_cond_signal));
  ERROR_OF("pthread_cond_wait", "broadcast", 0, woken_by(wait, pthread_cond_broadcast));
  ERROR_OF("pthread_cond_timedwait", "signalled before the deadline", 0, woken_by(timed, pthread_cond_signal));
  ERROR_OF("pthread_cond_timedwait", "broadcast before the deadline", 0, woken_by(timed, pthread_cond_broadcast));
  ERROR_OF("pthread_cond_clockwait", "signalled before the deadline", 0, woken_by(clock, pthread_cond_signal));
  ERROR_OF("pthread_cond_clockwait", "broadcast before the deadline", 0, woken_by(clock, pthread_cond_broadcast));
  ERROR_OF("pthread_cond_signal", "nobody waits", 0, pthread_cond_signal(&condition));
  ERROR_OF("pthread_cond_broadcast", "nobody waits", 0, pthread_cond_broadcast(&condition));
  pthread_mutex_lock(&mutex);
  ERROR_OF("pthread_cond_signal", "the mutex is held", 0, pthread_cond_signal(&condition));
  ERROR_OF("pthread_cond_broadcast", "the mutex is held", 0, pthread_cond_broadcast(&condition));
  pthread_mutex_unlock(&mutex);
}

void check_timeouts() {
  pthread_mutex_lock(&mutex);
  timespec soon = after_ms(CLOCK_REALTIME, 5);
  const long long before = now_ns(CLOCK_REALTIME);
  ERROR_OF("pthread_cond_timedwait", "nobody signals until the deadline", ETIMEDOUT,
           pthread_cond_timedwait(&condition, &mutex, &soon));
  HOLDS("pthread_cond_timedwait", "not before the deadline", now_ns(CLOCK_REALTIME) - before >= 5000000);
  ERROR_OF("pthread_mutex_trylock", "after a timeout the mutex is held", EBUSY,
           elsewhere([] { return pthread_mutex_trylock(&mutex); }));
  ERROR_OF("pthread_cond_timedwait", "deadline long ago", ETIMEDOUT,
           pthread_cond_timedwait(&condition, &mutex, &kLongAgo));
  ERROR_OF("pthread_cond_timedwait", "negative nanoseconds", EINVAL,
           pthread_cond_timedwait(&condition, &mutex, &kNegativeNanoseconds));
  ERROR_OF("pthread_cond_timedwait", "a billion nanoseconds", EINVAL,
           pthread_cond_timedwait(&condition, &mutex, &kTooManyNanoseconds));
  const timespec before_the_epoch = {-1, 0};
  ERROR_OF("pthread_cond_timedwait", "before 1970", ETIMEDOUT,
           pthread_cond_timedwait(&condition, &mutex, &before_the_epoch));
  soon = after_ms(CLOCK_MONOTONIC, 5);
  ERROR_OF("pthread_cond_clockwait", "monotonic, nobody signals", ETIMEDOUT,
           pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &soon));
  soon = after_ms(CLOCK_REALTIME, 5);
  ERROR_OF("pthread_cond_clockwait", "real time, nobody signals", ETIMEDOUT,
           pthread_cond_clockwait(&condition, &mutex, CLOCK_REALTIME, &soon));
  ERROR_OF("pthread_cond_clockwait", "processor time", EINVAL,
           pthread_cond_clockwait(&condition, &mutex, CLOCK_PROCESS_CPUTIME_ID, &soon));
  ERROR_OF("pthread_cond_clockwait", "no such clock", EINVAL, pthread_cond_clockwait(&condition, &mutex, 77, &soon));
  ERROR_OF("pthread_cond_clockwait", "negative nanoseconds", EINVAL,
           pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &kNegativeNanoseconds));
  pthread_mutex_unlock(&mutex);
}

void check_attributes() {
  pthread_condattr_t attributes;
  clockid_t clock = -1;
  int shared = -1;
  ERROR_OF("pthread_condattr_init", "new", 0, pthread_condattr_init(&attributes));
  ERROR_OF("pthread_condattr_getclock", "default", 0, pthread_condattr_getclock(&attributes, &clock));
  VALUE_OF("pthread_condattr_getclock", "the default clock", CLOCK_REALTIME, clock);
  ERROR_OF("pthread_condattr_setclock", "monotonic", 0, pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
  pthread_condattr_getclock(&attributes, &clock);
  VALUE_OF("pthread_condattr_getclock", "the clock that was set", CLOCK_MONOTONIC, clock);
  ERROR_OF("pthread_condattr_setclock", "processor time", EINVAL,
           pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID));
  ERROR_OF("pthread_condattr_setclock", "no such clock", EINVAL, pthread_condattr_setclock(&attributes, 77));
  ERROR_OF("pthread_condattr_getpshared", "default", 0, pthread_condattr_getpshared(&attributes, &shared));
  VALUE_OF("pthread_condattr_getpshared", "the default", PTHREAD_PROCESS_PRIVATE, shared);
  ERROR_OF("pthread_condattr_setpshared", "shared", 0,
           pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
  ERROR_OF("pthread_condattr_setpshared", "neither", EINVAL, pthread_condattr_setpshared(&attributes, 2));
  pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE);
  pthread_cond_t monotonic;
  ERROR_OF("pthread_cond_init", "monotonic clock", 0, pthread_cond_init(&monotonic, &attributes));
  ERROR_OF("pthread_condattr_destroy", "used", 0, pthread_condattr_destroy(&attributes));
  pthread_mutex_lock(&mutex);
  const timespec soon = after_ms(CLOCK_MONOTONIC, 5);
  const long long before = now_ns(CLOCK_MONOTONIC);
  ERROR_OF("pthread_cond_timedwait", "monotonic clock, nobody signals", ETIMEDOUT,
           pthread_cond_timedwait(&monotonic, &mutex, &soon));
  HOLDS("pthread_cond_timedwait", "monotonic clock, not before the deadline",
        now_ns(CLOCK_MONOTONIC) - before >= 5000000);
  pthread_mutex_unlock(&mutex);
  ERROR_OF("pthread_cond_destroy", "nobody waits", 0, pthread_cond_destroy(&monotonic));
  ERROR_OF("pthread_cond_init", "default attributes", 0, pthread_cond_init(&monotonic, nullptr));
  ERROR_OF("pthread_cond_destroy", "never used", 0, pthread_cond_destroy(&monotonic));
  ERROR_OF("pthread_cond_init", "after destroying it", 0, pthread_cond_init(&monotonic, nullptr));
  pthread_cond_destroy(&monotonic);
}

void check_counts() {
  int waiting = 0, woken = 0, tickets = 0;
  const auto wait = [&] {
    pthread_mutex_lock(&mutex);
    ++waiting;
    while (tickets == 0) pthread_cond_wait(&condition, &mutex);
    --tickets;
    ++woken;
    pthread_mutex_unlock(&mutex);
    return 0;
  };
  Thread one(wait), two(wait), three(wait);
  for (bool all = false; !all; sched_yield()) {
    pthread_mutex_lock(&mutex);
    all = waiting == 3;
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_lock(&mutex);
  tickets = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  for (bool one_woken = false; !one_woken; sched_yield()) {
    pthread_mutex_lock(&mutex);
    one_woken = woken == 1;
    pthread_mutex_unlock(&mutex);
  }
  VALUE_OF("pthread_cond_signal", "one of three waiters is let go", 1, woken);
  pthread_mutex_lock(&mutex);
  tickets = 2;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  one.result(), two.result(), three.result();
  VALUE_OF("pthread_cond_broadcast", "all waiters are let go", 3, woken);
  ERROR_OF("pthread_cond_destroy", "after the last waiter has gone", 0, pthread_cond_destroy(&condition));
}

void check_recursive_mutex() {
  pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  pthread_cond_t own = PTHREAD_COND_INITIALIZER;
  const timespec soon = after_ms(CLOCK_REALTIME, 5);
  ERROR_OF("pthread_cond_timedwait", "error checking mutex that is not held", EPERM,
           pthread_cond_timedwait(&own, &checking, &soon));
  ERROR_OF("pthread_cond_wait", "error checking mutex that is not held", EPERM, pthread_cond_wait(&own, &checking));
}

}  // namespace

int main() {
  begin_checks();
  check_waking();
  check_timeouts();
  check_attributes();
  check_recursive_mutex();
  check_counts();
  return end_checks();
}
