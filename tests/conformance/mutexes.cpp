// Mutexes: normal, recursive, error checking; locked, tried, timed; from one thread and from another.
#include "check.h"

namespace {

class Mutex {
 public:
  explicit Mutex(int type) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  pthread_mutex_t mutex;
};

struct Type {
  int number;
  const char* name;
};
constexpr Type kTypes[] = {{PTHREAD_MUTEX_NORMAL, "normal"},
                           {PTHREAD_MUTEX_RECURSIVE, "recursive"},
                           {PTHREAD_MUTEX_ERRORCHECK, "error checking"},
                           {PTHREAD_MUTEX_ADAPTIVE_NP, "adaptive"}};

const char* text(const Type& type, const char* condition) {
  static char line[100];
  snprintf(line, sizeof line, "%s, %s", type.name, condition);
  return line;
}

void check_all_types() {
  for (const Type& type : kTypes) {
    Mutex made(type.number);
    pthread_mutex_t* mutex = &made.mutex;
    ERROR_OF("pthread_mutex_lock", text(type, "free"), 0, pthread_mutex_lock(mutex));
    ERROR_OF("pthread_mutex_trylock", text(type, "held by another"), EBUSY,
             elsewhere([=] { return pthread_mutex_trylock(mutex); }));
    ERROR_OF("pthread_mutex_timedlock", text(type, "held by another until the deadline"), ETIMEDOUT, elsewhere([=] {
               const timespec soon = after_ms(CLOCK_REALTIME, 5);
               return pthread_mutex_timedlock(mutex, &soon);
             }));
    ERROR_OF("pthread_mutex_clocklock", text(type, "held by another until the deadline"), ETIMEDOUT, elsewhere([=] {
               const timespec soon = after_ms(CLOCK_MONOTONIC, 5);
               return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &soon);
             }));
    ERROR_OF("pthread_mutex_timedlock", text(type, "held by another, deadline long ago"), ETIMEDOUT,
             elsewhere([=] { return pthread_mutex_timedlock(mutex, &kLongAgo); }));
    ERROR_OF("pthread_mutex_timedlock", text(type, "held by another, negative nanoseconds"), EINVAL,
             elsewhere([=] { return pthread_mutex_timedlock(mutex, &kNegativeNanoseconds); }));
    ERROR_OF("pthread_mutex_timedlock", text(type, "held by another, a billion nanoseconds"), EINVAL,
             elsewhere([=] { return pthread_mutex_timedlock(mutex, &kTooManyNanoseconds); }));
    ERROR_OF("pthread_mutex_unlock", text(type, "held"), 0, pthread_mutex_unlock(mutex));
    ERROR_OF("pthread_mutex_trylock", text(type, "free"), 0, pthread_mutex_trylock(mutex));
    pthread_mutex_unlock(mutex);
    ERROR_OF("pthread_mutex_timedlock", text(type, "free, deadline long ago"), 0,
             pthread_mutex_timedlock(mutex, &kLongAgo));
    pthread_mutex_unlock(mutex);
    ERROR_OF("pthread_mutex_timedlock", text(type, "free, negative nanoseconds"), 0,
             pthread_mutex_timedlock(mutex, &kNegativeNanoseconds));
    pthread_mutex_unlock(mutex);
    ERROR_OF("pthread_mutex_destroy", text(type, "free"), 0, pthread_mutex_destroy(mutex));
  }
}

void check_recursive() {
  Mutex made(PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_t* mutex = &made.mutex;
  pthread_mutex_lock(mutex);
  ERROR_OF("pthread_mutex_lock", "recursive, held by itself", 0, pthread_mutex_lock(mutex));
  ERROR_OF("pthread_mutex_trylock", "recursive, held by itself", 0, pthread_mutex_trylock(mutex));
  const timespec soon = after_ms(CLOCK_REALTIME, 5);
  ERROR_OF("pthread_mutex_timedlock", "recursive, held by itself", 0, pthread_mutex_timedlock(mutex, &soon));
  for (int held = 4; held > 1; --held) pthread_mutex_unlock(mutex);
  ERROR_OF("pthread_mutex_trylock", "recursive, unlocked once less than locked", EBUSY,
           elsewhere([=] { return pthread_mutex_trylock(mutex); }));
  ERROR_OF("pthread_mutex_unlock", "recursive, held by another", EPERM,
           elsewhere([=] { return pthread_mutex_unlock(mutex); }));
  ERROR_OF("pthread_mutex_unlock", "recursive, the last time", 0, pthread_mutex_unlock(mutex));
  ERROR_OF("pthread_mutex_trylock", "recursive, unlocked as often as locked", 0,
           elsewhere([=] { return pthread_mutex_trylock(mutex) == 0 ? pthread_mutex_unlock(mutex) : -1; }));
  ERROR_OF("pthread_mutex_unlock", "recursive, not held", EPERM, pthread_mutex_unlock(mutex));
  pthread_mutex_destroy(mutex);
}

void check_error_checking() {
  Mutex made(PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t* mutex = &made.mutex;
  ERROR_OF("pthread_mutex_unlock", "error checking, not held", EPERM, pthread_mutex_unlock(mutex));
  pthread_mutex_lock(mutex);
  ERROR_OF("pthread_mutex_lock", "error checking, held by itself", EDEADLK, pthread_mutex_lock(mutex));
  ERROR_OF("pthread_mutex_trylock", "error checking, held by itself", EBUSY, pthread_mutex_trylock(mutex));
  const timespec soon = after_ms(CLOCK_REALTIME, 5), later = after_ms(CLOCK_MONOTONIC, 5);
  ERROR_OF("pthread_mutex_timedlock", "error checking, held by itself", EDEADLK, pthread_mutex_timedlock(mutex, &soon));
  ERROR_OF("pthread_mutex_clocklock", "error checking, held by itself", EDEADLK,
           pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &later));
  ERROR_OF("pthread_mutex_unlock", "error checking, held by another", EPERM,
           elsewhere([=] { return pthread_mutex_unlock(mutex); }));
  ERROR_OF("pthread_mutex_unlock", "error checking, held by itself", 0, pthread_mutex_unlock(mutex));
  pthread_mutex_destroy(mutex);
}

void check_normal_against_itself() {
  Mutex made(PTHREAD_MUTEX_NORMAL);
  pthread_mutex_t* mutex = &made.mutex;
  pthread_mutex_lock(mutex);
  ERROR_OF("pthread_mutex_trylock", "normal, held by itself", EBUSY, pthread_mutex_trylock(mutex));
  const timespec soon = after_ms(CLOCK_REALTIME, 5), later = after_ms(CLOCK_MONOTONIC, 5);
  ERROR_OF("pthread_mutex_timedlock", "normal, held by itself", ETIMEDOUT, pthread_mutex_timedlock(mutex, &soon));
  ERROR_OF("pthread_mutex_clocklock", "normal, held by itself", ETIMEDOUT,
           pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &later));
  pthread_mutex_unlock(mutex);
  pthread_mutex_destroy(mutex);
}

void check_static() {
  static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
  static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
  ERROR_OF("pthread_mutex_lock", "static initializer", 0, pthread_mutex_lock(&normal));
  ERROR_OF("pthread_mutex_lock", "static recursive initializer", 0, pthread_mutex_lock(&recursive));
  ERROR_OF("pthread_mutex_lock", "static recursive initializer, again", 0, pthread_mutex_lock(&recursive));
  ERROR_OF("pthread_mutex_lock", "static error checking initializer", 0, pthread_mutex_lock(&checking));
  ERROR_OF("pthread_mutex_lock", "static error checking initializer, again", EDEADLK, pthread_mutex_lock(&checking));
  ERROR_OF("pthread_mutex_lock", "static adaptive initializer", 0, pthread_mutex_lock(&adaptive));
  ERROR_OF("pthread_mutex_unlock", "static initializer", 0, pthread_mutex_unlock(&normal));
  ERROR_OF("pthread_mutex_unlock", "static recursive initializer", 0, pthread_mutex_unlock(&recursive));
  ERROR_OF("pthread_mutex_unlock", "static error checking initializer", 0, pthread_mutex_unlock(&checking));
  ERROR_OF("pthread_mutex_unlock", "static adaptive initializer", 0, pthread_mutex_unlock(&adaptive));
  pthread_mutex_unlock(&recursive);
}

void check_clocks() {
  Mutex made(PTHREAD_MUTEX_NORMAL);
  pthread_mutex_t* mutex = &made.mutex;
  const timespec later = after_ms(CLOCK_REALTIME, 60000);
  ERROR_OF("pthread_mutex_clocklock", "real time, free", 0, pthread_mutex_clocklock(mutex, CLOCK_REALTIME, &later));
  pthread_mutex_unlock(mutex);
  ERROR_OF("pthread_mutex_clocklock", "monotonic time, free", 0,
           pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &later));
  pthread_mutex_unlock(mutex);
  ERROR_OF("pthread_mutex_clocklock", "processor time", EINVAL,
           pthread_mutex_clocklock(mutex, CLOCK_PROCESS_CPUTIME_ID, &later));
  ERROR_OF("pthread_mutex_clocklock", "no such clock", EINVAL, pthread_mutex_clocklock(mutex, 77, &later));
  ERROR_OF("pthread_mutex_init", "default attributes", 0, pthread_mutex_init(mutex, nullptr));
  ERROR_OF("pthread_mutex_destroy", "never locked", 0, pthread_mutex_destroy(mutex));
  ERROR_OF("pthread_mutex_init", "after destroying it", 0, pthread_mutex_init(mutex, nullptr));
  ERROR_OF("pthread_mutex_lock", "made again", 0, pthread_mutex_lock(mutex));
  pthread_mutex_unlock(mutex);
  pthread_mutex_destroy(mutex);
}

void check_exclusion() {
  Mutex made(PTHREAD_MUTEX_NORMAL);
  pthread_mutex_t* mutex = &made.mutex;
  int inside = 0, most = 0, count = 0;
  const auto work = [&] {
    for (int i = 0; i < 5; ++i) {
      pthread_mutex_lock(mutex);
      if (++inside > most) most = inside;
      sched_yield();
      ++count;
      --inside;
      pthread_mutex_unlock(mutex);
    }
    return 0;
  };
  Thread one(work), other(work);
  one.result();
  other.result();
  VALUE_OF("pthread_mutex_lock", "most threads inside at once", 1, most);
  VALUE_OF("pthread_mutex_lock", "each entry of two threads counted", 10, count);
  pthread_mutex_lock(mutex);
  Thread waiter([=] { return pthread_mutex_lock(mutex) + pthread_mutex_unlock(mutex); });
  sched_yield();
  pthread_mutex_unlock(mutex);
  ERROR_OF("pthread_mutex_unlock", "lets the next one in", 0, waiter.result());
}

void check_protocols() {
  pthread_mutexattr_t attributes;
  pthread_mutex_t mutex;
  int ceiling = 0;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  ERROR_OF("pthread_mutex_init", "priority inheritance", 0, pthread_mutex_init(&mutex, &attributes));
  ERROR_OF("pthread_mutex_lock", "priority inheritance", 0, pthread_mutex_lock(&mutex));
  ERROR_OF("pthread_mutex_trylock", "priority inheritance, held by another", EBUSY,
           elsewhere([&] { return pthread_mutex_trylock(&mutex); }));
  ERROR_OF("pthread_mutex_unlock", "priority inheritance", 0, pthread_mutex_unlock(&mutex));
  ERROR_OF("pthread_mutex_getprioceiling", "priority inheritance", EINVAL,
           pthread_mutex_getprioceiling(&mutex, &ceiling));
  ERROR_OF("pthread_mutex_setprioceiling", "priority inheritance", EINVAL,
           pthread_mutex_setprioceiling(&mutex, 7, &ceiling));
  pthread_mutex_destroy(&mutex);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
  pthread_mutexattr_setprioceiling(&attributes, 7);
  ERROR_OF("pthread_mutex_init", "priority ceiling", 0, pthread_mutex_init(&mutex, &attributes));
  ERROR_OF("pthread_mutex_getprioceiling", "priority ceiling", 0, pthread_mutex_getprioceiling(&mutex, &ceiling));
  VALUE_OF("pthread_mutex_getprioceiling", "the ceiling that was set", 7, ceiling);
  ERROR_OF("pthread_mutex_setprioceiling", "a ceiling that is too high", EINVAL,
           pthread_mutex_setprioceiling(&mutex, 1000, &ceiling));
  ERROR_OF("pthread_mutex_setprioceiling", "priority ceiling", 0, pthread_mutex_setprioceiling(&mutex, 9, &ceiling));
  VALUE_OF("pthread_mutex_setprioceiling", "the ceiling from before", 7, ceiling);
  pthread_mutex_getprioceiling(&mutex, &ceiling);
  VALUE_OF("pthread_mutex_setprioceiling", "the new ceiling", 9, ceiling);
  pthread_mutex_destroy(&mutex);
  pthread_mutexattr_destroy(&attributes);
}

}  // namespace

int main() {
  begin_checks();
  check_all_types();
  check_recursive();
  check_error_checking();
  check_normal_against_itself();
  check_static();
  check_clocks();
  check_exclusion();
  check_protocols();
  return end_checks();
}
