// Threads that look at the clock in a loop until another thread has done something.
#include <sys/time.h>

#include "check.h"

namespace {

bool done;

// Sets `done` after a few milliseconds; meanwhile main calls `look` in a loop.
template <class Look>
int polled(Look look) {
  __atomic_store_n(&done, false, __ATOMIC_SEQ_CST);
  Thread setter([] {
    pause_ms(3);
    __atomic_store_n(&done, true, __ATOMIC_SEQ_CST);
    return 0;
  });
  while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST)) look();
  return setter.result();
}

}  // namespace

int main() {
  begin_checks();
  HOLDS("clock_gettime", "polled until a sleeper has set a flag", polled([] { now_ns(CLOCK_MONOTONIC); }) == 0);
  HOLDS("clock_gettime", "real time, polled until a sleeper has set a flag",
        polled([] { now_ns(CLOCK_REALTIME); }) == 0);
  HOLDS("gettimeofday", "polled until a sleeper has set a flag", polled([] {
                                                                   timeval now;
                                                                   gettimeofday(&now, nullptr);
                                                                 }) == 0);
  HOLDS("time", "polled until a sleeper has set a flag", polled([] { time(nullptr); }) == 0);
  HOLDS("clock", "polled until a sleeper has set a flag", polled([] { clock(); }) == 0);
  HOLDS("timespec_get", "polled until a sleeper has set a flag", polled([] {
                                                                   timespec now;
                                                                   timespec_get(&now, TIME_UTC);
                                                                 }) == 0);
  HOLDS("usleep", "called until a sleeper has set a flag", polled([] { usleep(100); }) == 0);
  const long long start = now_ns(CLOCK_MONOTONIC);
  while (now_ns(CLOCK_MONOTONIC) < start + 50000000) continue;
  HOLDS("clock_gettime", "polled until time has passed", now_ns(CLOCK_MONOTONIC) - start >= 50000000);
  const time_t second = time(nullptr);
  while (time(nullptr) <= second) continue;
  HOLDS("time", "polled until the next second", time(nullptr) > second);
  return end_checks();
}
