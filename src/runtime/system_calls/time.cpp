// Yields and sleeps whose call did not come through libc's functions (intercept/time.cpp).
#include <errno.h>
#include <time.h>

#include "runtime/schedule/yields.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/operation.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/clock.h"

namespace heddle::runtime {
namespace {

// A sleep that is over before it begins still yields.
long sleep_until(Nanoseconds deadline, Site site) {
  if (deadline <= runtime.world->clock().now())
    perform(OperationKind::Yield, kNoObject, site);
  else
    return perform(OperationKind::Sleep, kNoObject, site, deadline, kEndedBySignals) == EINTR ? -EINTR : 0;
  return 0;
}

}  // namespace

long perform_yield(const SystemCall&, Site site) {
  yield(site);
  return 0;
}

long perform_nanosleep(const SystemCall& call, Site site) {
  const auto* duration = reinterpret_cast<const timespec*>(call.arguments[0]);
  if (!is_readable(call.arguments[0], sizeof *duration)) return -EFAULT;
  if (!can_read(duration)) return -EFAULT;
  if (!valid(*duration) || duration->tv_sec < 0) return -EINVAL;
  return sleep_until(deadline_after(*duration), site);
}

long perform_clock_nanosleep(const SystemCall& call, Site site) {
  const auto clock = static_cast<clockid_t>(call.arguments[0]);
  const auto* time = reinterpret_cast<const timespec*>(call.arguments[2]);
  Nanoseconds offset = 0;
  if (clock == CLOCK_THREAD_CPUTIME_ID || !clock_offset(clock, offset)) return -EINVAL;
  if (!is_readable(call.arguments[2], sizeof *time)) return -EFAULT;
  if (!can_read(time)) return -EFAULT;
  if (!valid(*time) || time->tv_sec < 0) return -EINVAL;
  return sleep_until((call.arguments[1] & TIMER_ABSTIME) != 0 ? deadline_at(clock, time) : deadline_after(*time), site);
}

}  // namespace heddle::runtime
