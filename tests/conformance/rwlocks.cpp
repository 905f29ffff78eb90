// Reader-writer locks: readers and writers against each other, timeouts, attributes.
#include "check.h"

namespace {

pthread_rwlock_t lock;

void check_readers() {
  ERROR_OF("pthread_rwlock_rdlock", "free", 0, pthread_rwlock_rdlock(&lock));
  ERROR_OF("pthread_rwlock_rdlock", "held by itself for reading", 0, pthread_rwlock_rdlock(&lock));
  ERROR_OF("pthread_rwlock_tryrdlock", "held by itself for reading", 0, pthread_rwlock_tryrdlock(&lock));
  ERROR_OF("pthread_rwlock_rdlock", "held by another for reading", 0,
           elsewhere([] { return pthread_rwlock_rdlock(&lock) + pthread_rwlock_unlock(&lock); }));
  ERROR_OF("pthread_rwlock_tryrdlock", "held by another for reading", 0,
           elsewhere([] { return pthread_rwlock_tryrdlock(&lock) + pthread_rwlock_unlock(&lock); }));
  ERROR_OF("pthread_rwlock_trywrlock", "held by another for reading", EBUSY,
           elsewhere([] { return pthread_rwlock_trywrlock(&lock); }));
  ERROR_OF("pthread_rwlock_trywrlock", "held by itself for reading", EBUSY, pthread_rwlock_trywrlock(&lock));
  ERROR_OF("pthread_rwlock_timedwrlock", "held by another for reading", ETIMEDOUT, elsewhere([] {
             const timespec soon = after_ms(CLOCK_REALTIME, 5);
             return pthread_rwlock_timedwrlock(&lock, &soon);
           }));
  ERROR_OF("pthread_rwlock_clockwrlock", "held by another for reading", ETIMEDOUT, elsewhere([] {
             const timespec soon = after_ms(CLOCK_MONOTONIC, 5);
             return pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon);
           }));
  ERROR_OF("pthread_rwlock_timedrdlock", "held by another for reading", 0, elsewhere([] {
             const timespec later = after_ms(CLOCK_REALTIME, 60000);
             return pthread_rwlock_timedrdlock(&lock, &later) + pthread_rwlock_unlock(&lock);
           }));
  ERROR_OF("pthread_rwlock_clockrdlock", "held by another for reading", 0, elsewhere([] {
             const timespec later = after_ms(CLOCK_MONOTONIC, 60000);
             return pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &later) + pthread_rwlock_unlock(&lock);
           }));
  ERROR_OF("pthread_rwlock_unlock", "held for reading", 0, pthread_rwlock_unlock(&lock));
  pthread_rwlock_unlock(&lock);
  ERROR_OF("pthread_rwlock_trywrlock", "one read lock is left", EBUSY,
           elsewhere([] { return pthread_rwlock_trywrlock(&lock); }));
  ERROR_OF("pthread_rwlock_unlock", "the last read lock", 0, pthread_rwlock_unlock(&lock));
  ERROR_OF("pthread_rwlock_trywrlock", "free", 0,
           elsewhere([] { return pthread_rwlock_trywrlock(&lock) + pthread_rwlock_unlock(&lock); }));
}

void check_writer() {
  ERROR_OF("pthread_rwlock_wrlock", "free", 0, pthread_rwlock_wrlock(&lock));
  ERROR_OF("pthread_rwlock_wrlock", "held by itself for writing", EDEADLK, pthread_rwlock_wrlock(&lock));
  ERROR_OF("pthread_rwlock_rdlock", "held by itself for writing", EDEADLK, pthread_rwlock_rdlock(&lock));
  ERROR_OF("pthread_rwlock_tryrdlock", "held by itself for writing", EBUSY, pthread_rwlock_tryrdlock(&lock));
  ERROR_OF("pthread_rwlock_trywrlock", "held by itself for writing", EBUSY, pthread_rwlock_trywrlock(&lock));
  timespec soon = after_ms(CLOCK_REALTIME, 5);
  ERROR_OF("pthread_rwlock_timedwrlock", "held by itself for writing", EDEADLK,
           pthread_rwlock_timedwrlock(&lock, &soon));
  ERROR_OF("pthread_rwlock_timedrdlock", "held by itself for writing", EDEADLK,
           pthread_rwlock_timedrdlock(&lock, &soon));
  ERROR_OF("pthread_rwlock_tryrdlock", "held by another for writing", EBUSY,
           elsewhere([] { return pthread_rwlock_tryrdlock(&lock); }));
  ERROR_OF("pthread_rwlock_trywrlock", "held by another for writing", EBUSY,
           elsewhere([] { return pthread_rwlock_trywrlock(&lock); }));
  const auto timed = [](int (*call)(pthread_rwlock_t*, const timespec*), const timespec& time) {
    return elsewhere([=] { return call(&lock, &time); });
  };
  soon = after_ms(CLOCK_REALTIME, 5);
  ERROR_OF("pthread_rwlock_timedrdlock", "held by another for writing", ETIMEDOUT,
           timed(pthread_rwlock_timedrdlock, soon));
  ERROR_OF("pthread_rwlock_timedrdlock", "held by another, deadline long ago", ETIMEDOUT,
           timed(pthread_rwlock_timedrdlock, kLongAgo));
  ERROR_OF("pthread_rwlock_timedrdlock", "held by another, negative nanoseconds", EINVAL,
           timed(pthread_rwlock_timedrdlock, kNegativeNanoseconds));
  ERROR_OF("pthread_rwlock_timedrdlock", "held by another, a billion nanoseconds", EINVAL,
           timed(pthread_rwlock_timedrdlock, kTooManyNanoseconds));
  soon = after_ms(CLOCK_REALTIME, 5);
  ERROR_OF("pthread_rwlock_timedwrlock", "held by another for writing", ETIMEDOUT,
           timed(pthread_rwlock_timedwrlock, soon));
  ERROR_OF("pthread_rwlock_timedwrlock", "held by another, deadline long ago", ETIMEDOUT,
           timed(pthread_rwlock_timedwrlock, kLongAgo));
  ERROR_OF("pthread_rwlock_timedwrlock", "held by another, negative nanoseconds", EINVAL,
           timed(pthread_rwlock_timedwrlock, kNegativeNanoseconds));
  ERROR_OF("pthread_rwlock_timedwrlock", "held by another, a billion nanoseconds", EINVAL,
           timed(pthread_rwlock_timedwrlock, kTooManyNanoseconds));
  ERROR_OF("pthread_rwlock_clockrdlock", "held by another for writing", ETIMEDOUT, elsewhere([] {
             const timespec time = after_ms(CLOCK_MONOTONIC, 5);
             return pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &time);
           }));
  ERROR_OF("pthread_rwlock_clockrdlock", "processor time", EINVAL,
           elsewhere([] { return pthread_rwlock_clockrdlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &kLongAgo); }));
  ERROR_OF("pthread_rwlock_clockwrlock", "processor time", EINVAL,
           elsewhere([] { return pthread_rwlock_clockwrlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &kLongAgo); }));
  ERROR_OF("pthread_rwlock_clockwrlock", "no such clock", EINVAL,
           elsewhere([] { return pthread_rwlock_clockwrlock(&lock, 77, &kLongAgo); }));
  ERROR_OF("pthread_rwlock_unlock", "held for writing", 0, pthread_rwlock_unlock(&lock));
  const timespec later = after_ms(CLOCK_REALTIME, 60000);
  ERROR_OF("pthread_rwlock_timedwrlock", "free", 0, pthread_rwlock_timedwrlock(&lock, &later));
  pthread_rwlock_unlock(&lock);
  ERROR_OF("pthread_rwlock_timedwrlock", "free, deadline long ago", 0, pthread_rwlock_timedwrlock(&lock, &kLongAgo));
  pthread_rwlock_unlock(&lock);
  ERROR_OF("pthread_rwlock_clockwrlock", "free", 0, pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &later));
  pthread_rwlock_unlock(&lock);
}

void check_waiting() {
  pthread_rwlock_wrlock(&lock);
  Thread reader([] { return pthread_rwlock_rdlock(&lock) + pthread_rwlock_unlock(&lock); });
  Thread writer([] { return pthread_rwlock_wrlock(&lock) + pthread_rwlock_unlock(&lock); });
  sched_yield();
  pthread_rwlock_unlock(&lock);
  ERROR_OF("pthread_rwlock_rdlock", "waits until the writer unlocks", 0, reader.result());
  ERROR_OF("pthread_rwlock_wrlock", "waits until the lock is free", 0, writer.result());
  int readers = 0, most_writers = 0, writers = 0;
  const auto write = [&] {
    for (int i = 0; i < 3; ++i) {
      pthread_rwlock_wrlock(&lock);
      if (++writers + readers > most_writers) most_writers = writers + readers;
      sched_yield();
      --writers;
      pthread_rwlock_unlock(&lock);
    }
    return 0;
  };
  Thread one(write), two(write);
  one.result(), two.result();
  VALUE_OF("pthread_rwlock_wrlock", "most writers inside at once", 1, most_writers);
}

void check_attributes() {
  pthread_rwlockattr_t attributes;
  int value = -1;
  ERROR_OF("pthread_rwlockattr_init", "new", 0, pthread_rwlockattr_init(&attributes));
  ERROR_OF("pthread_rwlockattr_getpshared", "default", 0, pthread_rwlockattr_getpshared(&attributes, &value));
  VALUE_OF("pthread_rwlockattr_getpshared", "the default", PTHREAD_PROCESS_PRIVATE, value);
  ERROR_OF("pthread_rwlockattr_setpshared", "shared", 0,
           pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
  ERROR_OF("pthread_rwlockattr_setpshared", "neither", EINVAL, pthread_rwlockattr_setpshared(&attributes, 9));
  pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE);
  ERROR_OF("pthread_rwlockattr_getkind_np", "default", 0, pthread_rwlockattr_getkind_np(&attributes, &value));
  VALUE_OF("pthread_rwlockattr_getkind_np", "the default", PTHREAD_RWLOCK_PREFER_READER_NP, value);
  ERROR_OF("pthread_rwlockattr_setkind_np", "prefer writers", 0,
           pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
  ERROR_OF("pthread_rwlockattr_setkind_np", "none of them", EINVAL, pthread_rwlockattr_setkind_np(&attributes, 9));
  ERROR_OF("pthread_rwlock_init", "writers preferred", 0, pthread_rwlock_init(&lock, &attributes));
  pthread_rwlock_rdlock(&lock);
  ERROR_OF("pthread_rwlock_tryrdlock", "writers preferred, no writer waits", 0, pthread_rwlock_tryrdlock(&lock));
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  ERROR_OF("pthread_rwlock_destroy", "free", 0, pthread_rwlock_destroy(&lock));
  ERROR_OF("pthread_rwlockattr_destroy", "used", 0, pthread_rwlockattr_destroy(&attributes));
}

}  // namespace

int main() {
  begin_checks();
  ERROR_OF("pthread_rwlock_init", "default attributes", 0, pthread_rwlock_init(&lock, nullptr));
  check_readers();
  check_writer();
  check_waiting();
  ERROR_OF("pthread_rwlock_destroy", "after use", 0, pthread_rwlock_destroy(&lock));
  ERROR_OF("pthread_rwlock_init", "after destroying it", 0, pthread_rwlock_init(&lock, nullptr));
  ERROR_OF("pthread_rwlock_destroy", "never used", 0, pthread_rwlock_destroy(&lock));
  check_attributes();
  static pthread_rwlock_t made = PTHREAD_RWLOCK_INITIALIZER;
  ERROR_OF("pthread_rwlock_rdlock", "static initializer", 0, pthread_rwlock_rdlock(&made));
  ERROR_OF("pthread_rwlock_unlock", "static initializer", 0, pthread_rwlock_unlock(&made));
  ERROR_OF("pthread_rwlock_wrlock", "static initializer", 0, pthread_rwlock_wrlock(&made));
  pthread_rwlock_unlock(&made);
  return end_checks();
}
