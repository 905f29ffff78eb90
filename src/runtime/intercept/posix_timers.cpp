// timer_create and timerfd_create and their kin. What the timers do: world/signals/posix_timers.h,
// system_calls/timers.h.
#include "runtime/world/signals/posix_timers.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>

#include "runtime/intercept/intercept.h"
#include "runtime/intercept/start_mark.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/signals/masks.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr int kLastSignal = 64;
constexpr Nanoseconds kSecond = 1'000'000'000;

timespec to_timespec(Nanoseconds time) { return {time / kSecond, time % kSecond}; }

itimerspec to_itimerspec(const TimerSetting& setting) {
  return {to_timespec(setting.interval), to_timespec(setting.left)};
}

int number_of(timer_t timer) { return static_cast<int>(reinterpret_cast<std::intptr_t>(timer)); }

// Has the kernel timers of this clock? Otherwise what it says of them. Those that wake the machine it may have or not.
int check_clock(clockid_t clock) {
  Nanoseconds offset = 0;
  const bool plain = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
                     clock == CLOCK_TAI || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
  if (plain || (clock < 0 && clock_offset(clock, offset))) return 0;
  if (clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE) return ENOTSUP;
  if (clock != CLOCK_REALTIME_ALARM && clock != CLOCK_BOOTTIME_ALARM) return EINVAL;
  sigevent silent{};
  silent.sigev_notify = SIGEV_NONE;
  timer_t timer = nullptr;
  if (real::timer_create(clock, &silent, &timer) != 0) return errno;
  real::timer_delete(timer);
  return 0;
}

// What virtual time it is when such a clock shows `time`; the clocks that wake the machine show the time of others.
Nanoseconds deadline_by(clockid_t clock, const timespec& time) {
  const clockid_t plain = clock == CLOCK_REALTIME_ALARM   ? CLOCK_REALTIME
                          : clock == CLOCK_BOOTTIME_ALARM ? CLOCK_BOOTTIME
                                                          : clock;
  return deadline_at(plain, &time);
}

int translate(const sigevent* event, TimerNotice& notice) {
  if (event == nullptr) {
    notice.signal = SIGALRM;
    return 0;
  }
  notice.how = event->sigev_notify;
  notice.signal = event->sigev_signo;
  notice.value = event->sigev_value;
  switch (event->sigev_notify) {
    case SIGEV_NONE:
      return 0;
    case SIGEV_THREAD:
      notice.function = event->sigev_notify_function;
      if (event->sigev_notify_attributes != nullptr)
        pthread_attr_getstacksize(event->sigev_notify_attributes, &notice.stack_bytes);
      return 0;
    case SIGEV_THREAD_ID: {
      const TaskId task = task_with_number(event->_sigev_un._tid);
      if (task == kNoTask || runtime.world->task(task).ended) return EINVAL;
      notice.target = task;
      break;
    }
    case SIGEV_SIGNAL:
      break;
    default:
      return EINVAL;
  }
  return notice.signal >= 1 && notice.signal <= kLastSignal ? 0 : EINVAL;
}

int create(clockid_t clock, const sigevent* event, timer_t* timer, Site site) {
  if (const int error = check_clock(clock); error != 0) return error;
  TimerNotice notice;
  if (const int error = translate(event, notice); error != 0) return error;
  // The threads of such a timer are threads of the program, as glibc's helper would be.
  if (notice.how == SIGEV_THREAD && runtime.mode == Mode::Alone && !start_mark_wanted()) begin_branching();
  make_signals_virtual();
  const int number = make_posix_timer(clock, notice, site, event == nullptr);
  if (number < 0) return EAGAIN;
  *timer = reinterpret_cast<timer_t>(std::intptr_t{number});
  return 0;
}

// A step: others may look at it or change it.
bool step(int number, OperationKind kind, Site site) {
  if (!is_posix_timer(number)) return false;
  perform(kind, timer_object(number), site);
  return is_posix_timer(number);
}

int set(int number, int flags, const itimerspec* wanted, itimerspec* old, Site site) {
  if (wanted == nullptr) return EINVAL;
  if (!can_read(wanted)) return EFAULT;
  const itimerspec next = *wanted;
  if (!valid(next.it_value) || !valid(next.it_interval) || next.it_value.tv_sec < 0 || next.it_interval.tv_sec < 0)
    return EINVAL;
  if (!step(number, OperationKind::TimerSet, site)) return EINVAL;
  const TimerSetting before = setting_of_timer(number);
  const bool rests = next.it_value.tv_sec == 0 && next.it_value.tv_nsec == 0;
  const bool is_absolute = (flags & TIMER_ABSTIME) != 0;
  const Nanoseconds deadline = rests         ? kNoDeadline
                               : is_absolute ? deadline_by(clock_of_timer(number), next.it_value)
                                             : deadline_after(next.it_value);
  set_posix_timer(number, deadline, next.it_interval.tv_sec * kSecond + next.it_interval.tv_nsec);
  if (old == nullptr) return 0;
  if (!can_write(old)) return EFAULT;
  *old = to_itimerspec(before);
  return 0;
}

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  if (!controlled()) return real::timer_create(clock, event, timer);
  return through_errno(create(clock, event, timer, HEDDLE_CALLER));
}

HEDDLE_EXPORT int timer_settime(timer_t timer, int flags, const itimerspec* wanted, itimerspec* old) {
  if (!controlled()) return real::timer_settime(timer, flags, wanted, old);
  return through_errno(set(number_of(timer), flags, wanted, old, HEDDLE_CALLER));
}

HEDDLE_EXPORT int timer_gettime(timer_t timer, itimerspec* setting) {
  if (!controlled()) return real::timer_gettime(timer, setting);
  const int number = number_of(timer);
  if (!step(number, OperationKind::TimerRead, HEDDLE_CALLER)) return through_errno(EINVAL);
  if (!can_write(setting)) return through_errno(EFAULT);
  *setting = to_itimerspec(setting_of_timer(number));
  return 0;
}

HEDDLE_EXPORT int timer_getoverrun(timer_t timer) {
  if (!controlled()) return real::timer_getoverrun(timer);
  const int number = number_of(timer);
  if (!step(number, OperationKind::TimerRead, HEDDLE_CALLER)) return through_errno(EINVAL);
  return overrun_of_timer(number);
}

HEDDLE_EXPORT int timer_delete(timer_t timer) {
  if (!controlled()) return real::timer_delete(timer);
  const int number = number_of(timer);
  if (!step(number, OperationKind::TimerSet, HEDDLE_CALLER)) return through_errno(EINVAL);
  delete_posix_timer(number);
  return 0;
}

HEDDLE_EXPORT int timerfd_create(clockid_t clock, int flags) {
  if (!controlled()) return real::timerfd_create(clock, flags);
  const SystemCall call{SYS_timerfd_create, {clock, flags}};
  return static_cast<int>(as_libc_returns(perform_timer_create(call, HEDDLE_CALLER)));
}

HEDDLE_EXPORT int timerfd_settime(int descriptor, int flags, const itimerspec* wanted, itimerspec* old) {
  if (!controlled()) return real::timerfd_settime(descriptor, flags, wanted, old);
  const SystemCall call{SYS_timerfd_settime,
                        {descriptor, flags, reinterpret_cast<long>(wanted), reinterpret_cast<long>(old)}};
  return static_cast<int>(as_libc_returns(perform_timer_set(call, HEDDLE_CALLER)));
}

HEDDLE_EXPORT int timerfd_gettime(int descriptor, itimerspec* setting) {
  if (!controlled()) return real::timerfd_gettime(descriptor, setting);
  const SystemCall call{SYS_timerfd_gettime, {descriptor, reinterpret_cast<long>(setting)}};
  return static_cast<int>(as_libc_returns(perform_timer_get(call, HEDDLE_CALLER)));
}
