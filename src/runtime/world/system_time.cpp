// See system_time.h.
#include "runtime/world/system_time.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"
#include "runtime/world/clock.h"
#include "runtime/world/input_notes.h"

namespace heddle::runtime {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Nanoseconds kTick = kSecond / 100;  // of times(): sysconf(_SC_CLK_TCK)

timespec to_timespec(Nanoseconds time) { return {time / kSecond, time % kSecond}; }
timeval to_timeval(Nanoseconds time) { return {time / kSecond, time % kSecond / 1000}; }

Nanoseconds realtime() { return config.realtime_start + read_clock(); }

template <typename T>
T* pointer(long argument) {
  return reinterpret_cast<T*>(argument);
}

long get_day(timeval* time, long zone) {
  if (time != nullptr) *time = to_timeval(realtime());
  if (zone != 0 && !can_write(pointer<struct timezone>(zone))) return -EFAULT;
  if (zone != 0) return os::system_call(SYS_gettimeofday, 0, zone);
  return 0;
}

}  // namespace

long get_clock(clockid_t clock, timespec* time) {
  Nanoseconds shown = 0;
  if (!read_clock(clock, shown)) return -ENOSYS;
  *time = to_timespec(shown);
  return 0;
}

long set_clock(clockid_t clock, const timespec* time) {
  if (clock != CLOCK_REALTIME) return -EINVAL;  // the only one that can be set
  if (time == nullptr) return -EFAULT;
  return valid(*time) && time->tv_sec >= 0 ? -EPERM : -EINVAL;
}

long set_day(const timeval* time, const struct timezone*) {
  if (time != nullptr && !can_read(time)) return -EFAULT;
  if (time != nullptr && (time->tv_usec < 0 || time->tv_usec >= 1'000'000 || time->tv_sec < 0)) return -EINVAL;
  return -EPERM;
}

long adjust_clock(timex* state) {
  if (!can_read(state)) return -EFAULT;
  constexpr unsigned kReadOnlySlew = ADJ_OFFSET_SS_READ;
  if (state->modes != 0 && state->modes != kReadOnlySlew) return -EPERM;
  constexpr long kLargestError_us = 16'000'000, kPpm = 65536, kMaxPpm = 500, kTick_us = 10'000;
  *state = timex();
  state->maxerror = state->esterror = kLargestError_us;
  state->status = STA_UNSYNC;
  state->constant = 2;
  state->precision = 1;
  state->tolerance = kMaxPpm * kPpm;
  state->tick = kTick_us;
  state->time = to_timeval(realtime());
  return TIME_ERROR;  // "the clock is not synchronized"
}

long get_usage(int whose, rusage* usage, Site site) {
  rusage told;
  const long error = os::system_call(SYS_getrusage, whose, reinterpret_cast<long>(&told));
  if (error != 0) return error;
  if (!can_write(usage)) return -EFAULT;
  *usage = told;
  note_input(whose == RUSAGE_CHILDREN ? "what getrusage says of children"
                                      : "the memory and the page faults that getrusage tells",
             site);
  if (whose == RUSAGE_CHILDREN) return 0;
  const Nanoseconds used = whose == RUSAGE_THREAD ? task_time(runtime.current) : process_time();
  usage->ru_utime = to_timeval(used);
  usage->ru_stime = {};
  usage->ru_nvcsw = usage->ru_nivcsw = 0;
  return 0;
}

long get_times(tms* times) {
  if (times != nullptr) *times = tms{process_time() / kTick, 0, 0, 0};
  return (config.monotonic_start + read_clock()) / kTick;
}

unsigned current_processor() {
  if (config.processors <= 1) return 0;
  record_told_apart(runtime.current);
  return runtime.current % config.processors;
}

bool answer_time(const SystemCall& call, long& result) {
  const long* const a = call.arguments;
  switch (call.number) {
    case SYS_clock_gettime:
      result = a[1] == 0 ? -EFAULT : get_clock(static_cast<clockid_t>(a[0]), pointer<timespec>(a[1]));
      return result != -ENOSYS;
    case SYS_gettimeofday:
      return result = get_day(pointer<timeval>(a[0]), a[1]), true;
    case SYS_time:
      result = realtime() / kSecond;
      if (a[0] != 0) *pointer<time_t>(a[0]) = result;
      return true;
    case SYS_clock_settime:
      return result = set_clock(static_cast<clockid_t>(a[0]), pointer<timespec>(a[1])), true;
    case SYS_settimeofday:
      return result = set_day(pointer<timeval>(a[0]), pointer<struct timezone>(a[1])), true;
    case SYS_adjtimex:
      return result = adjust_clock(pointer<timex>(a[0])), true;
    case SYS_clock_adjtime:
      if (a[0] != CLOCK_REALTIME) return false;
      return result = adjust_clock(pointer<timex>(a[1])), true;
    case SYS_times:
      return result = get_times(pointer<tms>(a[0])), true;
    case SYS_getrusage:
      return result = get_usage(static_cast<int>(a[0]), pointer<rusage>(a[1]), 0), true;
    case SYS_getcpu:
      if (a[0] != 0) *pointer<unsigned>(a[0]) = current_processor();
      if (a[1] != 0) *pointer<unsigned>(a[1]) = 0;
      return result = 0, true;
    default:
      return false;
  }
}

}  // namespace heddle::runtime
