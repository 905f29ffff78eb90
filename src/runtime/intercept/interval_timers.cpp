// alarm, ualarm and setitimer(ITIMER_REAL): one timer of the process, in virtual time. The timers that count processor
// time are the kernel's.
#include <sys/time.h>
#include <unistd.h>

#include <optional>

#include "runtime/detect/race_orders.h"
#include "runtime/intercept/intercept.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/world/signals/masks.h"
#include "runtime/world/signals/post.h"
#include "runtime/world/signals/timers.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Nanoseconds kMicrosecond = 1'000;

struct ExecutionRealTimer {
  TaskId task = kNoTask;
  Nanoseconds deadline = 0;  // when it expires or has expired last
  Nanoseconds interval = 0;
};
constinit ExecutionRealTimer execution_real_timer{};

struct Setting {
  Nanoseconds left = 0;  // 0: it rests
  Nanoseconds interval = 0;
};

Setting setting() {
  if (!timer_exists(execution_real_timer.task) || timer_deadline(execution_real_timer.task) == kNoDeadline) return {};
  const Nanoseconds now = runtime.world->clock().now(), deadline = timer_deadline(execution_real_timer.task);
  return {deadline > now ? deadline - now : kMicrosecond, execution_real_timer.interval};
}

void on_expired(TaskId timer, std::int32_t result) {
  if (execution_real_timer.interval != 0) {
    std::int64_t passed = 0;
    execution_real_timer.deadline = next_in_row(execution_real_timer.deadline, execution_real_timer.interval, passed);
    arm_timer(timer, execution_real_timer.deadline, SIGALRM, kNoTask, false);
  }
  siginfo_t info{};  // the kernel tells no sender
  info.si_signo = SIGALRM;
  info.si_code = SI_KERNEL;
  post_sent_signal(result, info, true);
}

// A step: others may set it or look at it. Before the first thread there are no others, and most programs have no such
// timer. False: there are too many tasks for one more.
bool step(OperationKind kind, bool sets, Site site) {
  if (!timer_exists(execution_real_timer.task)) {
    if (runtime.mode == Mode::Alone && !sets) return true;
    make_signals_virtual();  // before there is a timer, which takes none
    execution_real_timer.task = make_timer("alarm", site, on_expired);
    if (execution_real_timer.task == kNoTask) return false;
  }
  perform(kind, runtime.world->task(execution_real_timer.task).thread, site);
  return true;
}

// Behind the step.
void set(const Setting& wanted) {
  if (wanted.left == 0) {
    if (timer_exists(execution_real_timer.task)) disarm_timer(execution_real_timer.task);
    return;
  }
  execution_real_timer.deadline = runtime.world->clock().now() + wanted.left;
  execution_real_timer.interval = wanted.interval;
  race_pass_on(runtime.current, execution_real_timer.task);
  arm_timer(execution_real_timer.task, execution_real_timer.deadline, SIGALRM, kNoTask, wanted.interval == 0);
}

// What it was set to before; nothing: it can't be set.
std::optional<Setting> exchange(const Setting& wanted, Site site) {
  if (!step(OperationKind::TimerSet, wanted.left != 0, site)) return {};
  const Setting before = setting();
  set(wanted);
  return before;
}

bool valid(const timeval& time) { return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1'000'000; }

Nanoseconds nanoseconds(const timeval& time) {
  constexpr time_t kMax = INT64_MAX / 4 / kSecond;
  return (time.tv_sec < kMax ? time.tv_sec : kMax) * kSecond + time.tv_usec * kMicrosecond;
}

timeval to_timeval(Nanoseconds time) { return {time / kSecond, time % kSecond / kMicrosecond}; }

itimerval to_itimerval(const Setting& setting) { return {to_timeval(setting.interval), to_timeval(setting.left)}; }

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT unsigned alarm(unsigned seconds) {
  if (!controlled()) return real::alarm(seconds);
  const auto before = exchange({Nanoseconds{seconds} * kSecond, 0}, HEDDLE_CALLER);
  const Nanoseconds left = before ? before->left : 0;
  // As glibc rounds it: never to 0 while it is armed.
  const Nanoseconds rounded = (left + kSecond / 2) / kSecond;
  return static_cast<unsigned>(left != 0 && rounded == 0 ? 1 : rounded);
}

HEDDLE_EXPORT useconds_t ualarm(useconds_t microseconds, useconds_t interval) {
  if (!controlled()) return real::ualarm(microseconds, interval);
  if (microseconds >= kSecond / kMicrosecond || interval >= kSecond / kMicrosecond)
    return static_cast<useconds_t>(through_errno(EINVAL));
  const auto before =
      exchange({Nanoseconds{microseconds} * kMicrosecond, Nanoseconds{interval} * kMicrosecond}, HEDDLE_CALLER);
  return before ? static_cast<useconds_t>(before->left / kMicrosecond) : 0;
}

HEDDLE_EXPORT int setitimer(__itimer_which_t which, const itimerval* wanted, itimerval* old) {
  if (!controlled() || which != ITIMER_REAL || wanted == nullptr) return real::setitimer(which, wanted, old);
  if (!can_read(wanted)) return through_errno(EFAULT);
  if (!valid(wanted->it_value) || !valid(wanted->it_interval)) return through_errno(EINVAL);
  const auto before = exchange({nanoseconds(wanted->it_value), nanoseconds(wanted->it_interval)}, HEDDLE_CALLER);
  if (!before) return through_errno(EAGAIN);
  if (old != nullptr) *old = to_itimerval(*before);
  return 0;
}

HEDDLE_EXPORT int getitimer(__itimer_which_t which, itimerval* value) {
  if (!controlled() || which != ITIMER_REAL) return real::getitimer(which, value);
  if (!can_write(value)) return through_errno(EFAULT);
  if (!step(OperationKind::TimerRead, false, HEDDLE_CALLER)) return through_errno(EAGAIN);
  *value = to_itimerval(setting());
  return 0;
}
