// Clocks, sleeping and yielding.
#include <sched.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/intercept/calls.h"
#include "runtime/intercept/intercept.h"
#include "runtime/os/system_call.h"
#include "runtime/schedule/yields.h"
#include "runtime/snapshot/user_memory.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;

timespec to_timespec(Nanoseconds time) { return {time / kSecond, time % kSecond}; }

Nanoseconds realtime() { return config.realtime_start + read_clock(); }

// A sleep that is over before it begins still yields. 0 or EINTR.
int sleep_until(Nanoseconds deadline, Site site) {
  if (deadline <= runtime.world->clock().now())
    return perform(OperationKind::Yield, kNoObject, site, kNoDeadline, kCancellable);
  return perform(OperationKind::Sleep, kNoObject, site, deadline, kEndedBySignals);
}

// How much of a sleep that a signal has ended was left: some of it has passed.
Nanoseconds left_until(Nanoseconds deadline) {
  constexpr Nanoseconds kPassed = 1'000;
  runtime.world->advance_clock(runtime.world->clock().now() + kPassed);
  const Nanoseconds now = runtime.world->clock().now();
  return deadline > now ? deadline - now : 0;
}

}  // namespace

namespace {

// The clocks that wake the machine show the time of others. Whether it has them, and who may, is the kernel's to say.
int check_waking_clock(clockid_t& clock) {
  if (clock != CLOCK_REALTIME_ALARM && clock != CLOCK_BOOTTIME_ALARM) return 0;
  constexpr timespec kNone{0, 0};
  const long error = os::system_call(SYS_clock_nanosleep, clock, 0, reinterpret_cast<long>(&kNone), 0);
  clock = clock == CLOCK_REALTIME_ALARM ? CLOCK_REALTIME : CLOCK_BOOTTIME;
  return static_cast<int>(-error);
}

}  // namespace

int sleep_on_clock(clockid_t clock, int flags, const timespec* time, timespec* left, Site site) {
  if (const int error = check_waking_clock(clock); error != 0) return error;
  if (clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE) return ENOTSUP;
  Nanoseconds offset = 0;
  if (!can_read(time)) return EFAULT;
  if (!valid(*time) || time->tv_sec < 0 || !clock_offset(clock, offset) || clock == CLOCK_THREAD_CPUTIME_ID)
    return EINVAL;
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  const Nanoseconds deadline = absolute ? deadline_at(clock, time) : deadline_after(*time);
  const int error = sleep_until(deadline, site);
  if (error != 0 && left != nullptr && !absolute) *left = to_timespec(left_until(deadline));
  return error;
}

}  // namespace heddle::runtime

HEDDLE_EXPORT int sched_yield() {
  if (!controlled()) return real::sched_yield();
  yield(HEDDLE_CALLER);
  return 0;
}

HEDDLE_EXPORT int clock_gettime(clockid_t clock, timespec* time) {
  if (!controlled()) return real::clock_gettime(clock, time);
  before_clock_read(HEDDLE_CALLER);
  Nanoseconds shown = 0;
  if (!read_clock(clock, shown)) return real::clock_gettime(clock, time);
  *time = to_timespec(shown);
  return 0;
}

HEDDLE_EXPORT int gettimeofday(timeval* time, void* zone) {
  if (!controlled()) return real::gettimeofday(time, zone);
  before_clock_read(HEDDLE_CALLER);
  if (zone != nullptr)
    return real::gettimeofday(time, zone);  // asks for the time zone, an obsolete thing of the kernel's
  const timespec now = to_timespec(realtime());
  timeval* volatile given = time;  // declared never to be null, which the kernel does not mind
  if (given != nullptr) *given = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

HEDDLE_EXPORT time_t time(time_t* result) {
  if (!controlled()) return real::time(result);
  before_clock_read(HEDDLE_CALLER);
  const time_t now = realtime() / kSecond;
  if (result != nullptr) *result = now;
  return now;
}

HEDDLE_EXPORT int timespec_get(timespec* time, int base) {
  if (!controlled()) return real::timespec_get(time, base);
  before_clock_read(HEDDLE_CALLER);
  if (base != TIME_UTC) return 0;
  *time = to_timespec(realtime());
  return base;
}

HEDDLE_EXPORT clock_t clock() {
  if (!controlled()) return real::clock();
  before_clock_read(HEDDLE_CALLER);
  read_clock();
  return process_time() / (kSecond / CLOCKS_PER_SEC);
}

HEDDLE_EXPORT int nanosleep(const timespec* duration, timespec* left) {
  if (!controlled()) return real::nanosleep(duration, left);
  if (!can_read(duration)) return through_errno(EFAULT);
  if (!valid(*duration) || duration->tv_sec < 0) return through_errno(EINVAL);
  const Nanoseconds deadline = deadline_after(*duration);
  const int error = sleep_until(deadline, HEDDLE_CALLER);
  if (error != 0 && left != nullptr) *left = to_timespec(left_until(deadline));
  return through_errno(error);
}

HEDDLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!controlled()) return real::clock_nanosleep(clock, flags, time, left);
  return sleep_on_clock(clock, flags, time, left, HEDDLE_CALLER);
}

HEDDLE_EXPORT int usleep(useconds_t microseconds) {
  if (!controlled()) return real::usleep(microseconds);
  return through_errno(sleep_until(
      deadline_after({microseconds / 1'000'000, static_cast<long>(microseconds % 1'000'000) * 1000}), HEDDLE_CALLER));
}

HEDDLE_EXPORT unsigned sleep(unsigned seconds) {
  if (!controlled()) return real::sleep(seconds);
  const Nanoseconds deadline = deadline_after({static_cast<time_t>(seconds), 0});
  return sleep_until(deadline, HEDDLE_CALLER) == 0 ? 0 : static_cast<unsigned>(left_until(deadline) / kSecond);
}
