// See timer_table.h.
#include "runtime/world/signals/timer_table.h"

#include <limits.h>

#include "runtime/world/signals/timers.h"

namespace heddle::runtime {
namespace {

int as_overrun(std::int64_t count) { return count > INT_MAX ? INT_MAX : static_cast<int>(count); }

}  // namespace

constinit ExecutionPosixTimers execution_posix_timers{};

bool is_posix_timer(int number) {
  return number >= 0 && number < execution_posix_timers.timer_count && timer_exists(timer_at(number).task);
}

void arm(const PosixTimer& timer) {
  const int signal = timer.notice.how == SIGEV_THREAD ? 0 : timer.notice.signal;
  arm_timer(timer.task, timer.deadline, signal, timer.notice.target, timer.interval == 0);
}

std::int64_t move_on(PosixTimer& timer) {
  std::int64_t passed = 0;
  timer.deadline = next_in_row(timer.deadline, timer.interval, passed);
  arm(timer);
  return passed;
}

void on_timer_signal_queued(const siginfo_t& info) {
  if (is_posix_timer(info.si_timerid)) timer_at(info.si_timerid).signal_waits = true;
}

void on_timer_signal_taken(siginfo_t& info) {
  if (!is_posix_timer(info.si_timerid)) return;
  PosixTimer& timer = timer_at(info.si_timerid);
  if (timer.signal_waits && timer.interval != 0) timer.overrun += move_on(timer);
  timer.signal_waits = false;
  timer.last_overrun = as_overrun(timer.overrun);
  info.si_overrun = timer.last_overrun;
  timer.overrun = 0;
}

}  // namespace heddle::runtime
