// alarm, ualarm and setitimer(ITIMER_REAL): one timer of the process, in virtual time. The timers that count processor
// time are the kernel's.
#include <sys/time.h>
#include <unistd.h>

#include "runtime/instrument/races.h"
#include "runtime/intercept/intercept.h"
#include "runtime/signals/deliver.h"
#include "runtime/signals/timers.h"
#include "runtime/user_memory.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Nanoseconds kMicrosecond = 1'000;

TaskId real_timer = kNoTask;
Nanoseconds real_deadline = 0;  // when it expires or has expired last
Nanoseconds real_interval = 0;

struct Setting {
  Nanoseconds left = 0;  // 0: it rests
  Nanoseconds interval = 0;
};

Setting setting() {
  if (!timer_exists(real_timer) || timer_deadline(real_timer) == kNoDeadline) return {};
  const Nanoseconds now = runtime.world->now(), deadline = timer_deadline(real_timer);
  return {deadline > now ? deadline - now : kMicrosecond, real_interval};
}

void on_expired(TaskId timer, std::int32_t result) {
  if (real_interval != 0) {
    std::int64_t passed = 0;
    real_deadline = next_in_row(real_deadline, real_interval, passed);
    arm_timer(timer, real_deadline, SIGALRM, kNoTask, false);
  }
  siginfo_t info{};  // the kernel tells no sender
  info.si_signo = SIGALRM;
  info.si_code = SI_KERNEL;
  post_sent_signal(result, info, true);
}

// False: there are too many tasks for one more.
bool set(const Setting& wanted, Site site) {
  if (wanted.left == 0) {
    if (timer_exists(real_timer)) disarm_timer(real_timer);
    return true;
  }
  make_signals_virtual();
  if (!timer_exists(real_timer)) real_timer = make_timer("alarm", site, on_expired);
  if (real_timer == kNoTask) return false;
  real_deadline = runtime.world->now() + wanted.left;
  real_interval = wanted.interval;
  race_pass_on(runtime.current, real_timer);
  arm_timer(real_timer, real_deadline, SIGALRM, kNoTask, wanted.interval == 0);
  return true;
}

bool valid(const timeval& time) { return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1'000'000; }

Nanoseconds nanoseconds(const timeval& time) {
  constexpr time_t kMost = INT64_MAX / 4 / kSecond;
  return (time.tv_sec < kMost ? time.tv_sec : kMost) * kSecond + time.tv_usec * kMicrosecond;
}

timeval to_timeval(Nanoseconds time) { return {time / kSecond, time % kSecond / kMicrosecond}; }

itimerval to_itimerval(const Setting& setting) { return {to_timeval(setting.interval), to_timeval(setting.left)}; }

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT unsigned alarm(unsigned seconds) {
  if (!controlled()) return real::alarm(seconds);
  const Nanoseconds left = setting().left;
  set({Nanoseconds{seconds} * kSecond, 0}, HEDDLE_CALLER);
  // As glibc rounds it: never to 0 while it is armed.
  const Nanoseconds rounded = (left + kSecond / 2) / kSecond;
  return static_cast<unsigned>(left != 0 && rounded == 0 ? 1 : rounded);
}

HEDDLE_EXPORT useconds_t ualarm(useconds_t microseconds, useconds_t interval) {
  if (!controlled()) return real::ualarm(microseconds, interval);
  const Nanoseconds left = setting().left;
  set({Nanoseconds{microseconds} * kMicrosecond, Nanoseconds{interval} * kMicrosecond}, HEDDLE_CALLER);
  return static_cast<useconds_t>(left / kMicrosecond);
}

HEDDLE_EXPORT int setitimer(__itimer_which_t which, const itimerval* wanted, itimerval* old) {
  if (!controlled() || which != ITIMER_REAL || wanted == nullptr) return real::setitimer(which, wanted, old);
  if (!can_read(wanted)) return through_errno(EFAULT);
  if (!valid(wanted->it_value) || !valid(wanted->it_interval)) return through_errno(EINVAL);
  const Setting before = setting();
  const Setting next{nanoseconds(wanted->it_value), nanoseconds(wanted->it_interval)};
  if (!set(next, HEDDLE_CALLER)) return through_errno(EAGAIN);
  if (old != nullptr) *old = to_itimerval(before);
  return 0;
}

HEDDLE_EXPORT int getitimer(__itimer_which_t which, itimerval* value) {
  if (!controlled() || which != ITIMER_REAL) return real::getitimer(which, value);
  if (!can_write(value)) return through_errno(EFAULT);
  *value = to_itimerval(setting());
  return 0;
}
