// Clocks and sleeping. Only what holds at any speed is checked: order, distances at least, and errors.
#include <sys/time.h>
#include <sys/times.h>

#include "check.h"

namespace {

constexpr long long kMillisecond = 1000000;

struct Clock {
  clockid_t number;
  const char* name;
};
constexpr Clock kClocks[] = {{CLOCK_REALTIME, "real time"},
                             {CLOCK_MONOTONIC, "monotonic"},
                             {CLOCK_BOOTTIME, "boot time"},
                             {CLOCK_MONOTONIC_RAW, "raw monotonic"},
                             {CLOCK_REALTIME_COARSE, "coarse real time"},
                             {CLOCK_MONOTONIC_COARSE, "coarse monotonic"},
                             {CLOCK_TAI, "atomic time"},
                             {CLOCK_PROCESS_CPUTIME_ID, "processor time of the process"},
                             {CLOCK_THREAD_CPUTIME_ID, "processor time of the thread"}};

void check_clock_gettime() {
  timespec time;
  for (const Clock& clock : kClocks) {
    char text[100];
    ERRNO_OF("clock_gettime", clock.name, 0, clock_gettime(clock.number, &time));
    snprintf(text, sizeof text, "%s, nanoseconds in range", clock.name);
    HOLDS("clock_gettime", text, time.tv_nsec >= 0 && time.tv_nsec < 1000000000);
    snprintf(text, sizeof text, "%s, never runs backwards", clock.name);
    long long last = now_ns(clock.number);
    bool forwards = true;
    for (int i = 0; i < 20; ++i) {
      const long long now = now_ns(clock.number);
      forwards = forwards && now >= last;
      last = now;
    }
    HOLDS("clock_gettime", text, forwards);
    ERRNO_OF("clock_getres", clock.name, 0, clock_getres(clock.number, &time));
  }
  ERRNO_OF("clock_gettime", "no such clock", EINVAL, clock_gettime(77, &time));
  ERRNO_OF("clock_getres", "no such clock", EINVAL, clock_getres(77, &time));
  ERRNO_OF("clock_getres", "no place for the result", 0, clock_getres(CLOCK_MONOTONIC, nullptr));
  ERRNO_OF("clock_settime", "monotonic", EINVAL, clock_settime(CLOCK_MONOTONIC, &kLongAgo));
}

void check_other_clocks() {
  timeval seen;
  const time_t before = time(nullptr);
  ERRNO_OF("gettimeofday", "no zone", 0, gettimeofday(&seen, nullptr));
  HOLDS("gettimeofday", "microseconds in range", seen.tv_usec >= 0 && seen.tv_usec < 1000000);
  timespec now;
  HOLDS("timespec_get", "universal time", timespec_get(&now, TIME_UTC) == TIME_UTC);
  HOLDS("timespec_get", "no such base", timespec_get(&now, 99) == 0);
  HOLDS("timespec_get", "not before an earlier gettimeofday", now.tv_sec >= seen.tv_sec);
  time_t kept = 0;
  const time_t after = time(&kept);
  HOLDS("time", "returns what it stores", after == kept);
  HOLDS("time", "after an earlier time", after >= before);
  HOLDS("time", "the second of the real-time clock", llabs(now_ns(CLOCK_REALTIME) / 1000000000 - time(nullptr)) <= 1);
  HOLDS("gettimeofday", "the second of the real-time clock",
        llabs(now_ns(CLOCK_REALTIME) / 1000000000 - seen.tv_sec) <= 1);
  const clock_t used = clock();
  HOLDS("clock", "some processor time", used != static_cast<clock_t>(-1));
  HOLDS("clock", "never runs backwards", clock() >= used);
  HOLDS("clock", "differs by less than a second from the process's clock",
        llabs(now_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000 - clock()) < 1000000);
  tms times_used;
  HOLDS("times", "returns ticks", times(&times_used) != static_cast<clock_t>(-1));
  clockid_t id;
  ERROR_OF("pthread_getcpuclockid", "itself", 0, pthread_getcpuclockid(pthread_self(), &id));
  ERRNO_OF("clock_gettime", "the thread's clock by its id", 0, clock_gettime(id, &now));
  ERROR_OF("clock_getcpuclockid", "this process", 0, clock_getcpuclockid(getpid(), &id));
  ERRNO_OF("clock_gettime", "the process's clock by its id", 0, clock_gettime(id, &now));
}

void check_nanosleep() {
  const timespec five = {0, 5 * kMillisecond}, none = {0, 0}, negative = {-1, 0};
  long long before = now_ns(CLOCK_MONOTONIC);
  ERRNO_OF("nanosleep", "five milliseconds", 0, nanosleep(&five, nullptr));
  HOLDS("nanosleep", "not shorter than asked", now_ns(CLOCK_MONOTONIC) - before >= 5 * kMillisecond);
  ERRNO_OF("nanosleep", "no time", 0, nanosleep(&none, nullptr));
  ERRNO_OF("nanosleep", "negative seconds", EINVAL, nanosleep(&negative, nullptr));
  ERRNO_OF("nanosleep", "negative nanoseconds", EINVAL, nanosleep(&kNegativeNanoseconds, nullptr));
  ERRNO_OF("nanosleep", "a billion nanoseconds", EINVAL, nanosleep(&kTooManyNanoseconds, nullptr));
  before = now_ns(CLOCK_MONOTONIC);
  ERRNO_OF("usleep", "three milliseconds", 0, usleep(3000));
  HOLDS("usleep", "not shorter than asked", now_ns(CLOCK_MONOTONIC) - before >= 3 * kMillisecond);
  ERRNO_OF("usleep", "no time", 0, usleep(0));
  VALUE_OF("sleep", "no time", 0, sleep(0));
  before = now_ns(CLOCK_MONOTONIC);
  VALUE_OF("sleep", "a second, what is left", 0, sleep(1));
  HOLDS("sleep", "not shorter than asked", now_ns(CLOCK_MONOTONIC) - before >= 1000 * kMillisecond);
}

void check_clock_nanosleep() {
  const timespec five = {0, 5 * kMillisecond}, negative = {-1, 0};
  for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME}) {
    const char* name = clock == CLOCK_REALTIME ? "real time" : clock == CLOCK_MONOTONIC ? "monotonic" : "boot time";
    char text[100];
    const long long before = now_ns(clock);
    snprintf(text, sizeof text, "%s, for five milliseconds", name);
    ERROR_OF("clock_nanosleep", text, 0, clock_nanosleep(clock, 0, &five, nullptr));
    snprintf(text, sizeof text, "%s, not shorter than asked", name);
    HOLDS("clock_nanosleep", text, now_ns(clock) - before >= 5 * kMillisecond);
    const timespec until = after_ms(clock, 5);
    snprintf(text, sizeof text, "%s, until a time", name);
    ERROR_OF("clock_nanosleep", text, 0, clock_nanosleep(clock, TIMER_ABSTIME, &until, nullptr));
    snprintf(text, sizeof text, "%s, not before the time", name);
    HOLDS("clock_nanosleep", text, now_ns(clock) >= until.tv_sec * 1000000000LL + until.tv_nsec);
    snprintf(text, sizeof text, "%s, until a time long ago", name);
    ERROR_OF("clock_nanosleep", text, 0, clock_nanosleep(clock, TIMER_ABSTIME, &kLongAgo, nullptr));
    snprintf(text, sizeof text, "%s, a billion nanoseconds", name);
    ERROR_OF("clock_nanosleep", text, EINVAL, clock_nanosleep(clock, 0, &kTooManyNanoseconds, nullptr));
  }
  ERROR_OF("clock_nanosleep", "negative seconds", EINVAL, clock_nanosleep(CLOCK_MONOTONIC, 0, &negative, nullptr));
  ERROR_OF("clock_nanosleep", "no such clock", EINVAL, clock_nanosleep(77, 0, &five, nullptr));
  ERROR_OF("clock_nanosleep", "processor time of the thread", EINVAL,
           clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &five, nullptr));
  ERROR_OF("clock_nanosleep", "a clock that can't be slept on", ENOTSUP,
           clock_nanosleep(CLOCK_MONOTONIC_COARSE, 0, &five, nullptr));
}

void check_threads_and_time() {
  const long long before = now_ns(CLOCK_MONOTONIC);
  Thread sleeper([] { return pause_ms(5), 0; });
  sleeper.result();
  HOLDS("nanosleep", "in another thread, time passes for all", now_ns(CLOCK_MONOTONIC) - before >= 5 * kMillisecond);
  const long long until = now_ns(CLOCK_MONOTONIC) + 2 * kMillisecond;
  while (now_ns(CLOCK_MONOTONIC) < until) continue;
  HOLDS("clock_gettime", "a thread that polls the clock sees time pass", now_ns(CLOCK_MONOTONIC) >= until);
  ERRNO_OF("sched_yield", "main", 0, sched_yield());
  ERRNO_OF("sched_yield", "another thread", 0, elsewhere([] { return sched_yield(); }));
  bool set = false;
  Thread other([&] { return __atomic_store_n(&set, true, __ATOMIC_SEQ_CST), 0; });
  while (!__atomic_load_n(&set, __ATOMIC_SEQ_CST)) sched_yield();
  HOLDS("sched_yield", "until another thread has set a flag", other.result() == 0);
}

}  // namespace

int main() {
  begin_checks();
  check_clock_gettime();
  check_other_clocks();
  check_nanosleep();
  check_clock_nanosleep();
  check_threads_and_time();
  return end_checks();
}
