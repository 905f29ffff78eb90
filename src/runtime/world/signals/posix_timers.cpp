// See posix_timers.h.
#include "runtime/world/signals/posix_timers.h"

#include <limits.h>
#include <stdio.h>

#include "runtime/detect/races.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/forked_child.h"
#include "runtime/world/signals/deliver.h"
#include "runtime/world/signals/timers.h"

namespace heddle::runtime {
namespace {

constexpr int kMaxTimers = 1 << 16;  // in one execution, deleted ones included: their numbers are not used again

struct PosixTimer {
  clockid_t clock;
  TimerNotice notice;
  TaskId task;      // that expires; kNoTask: deleted
  ObjectId object;  // the task's
  bool armed;
  bool signal_waits;     // and with it the next expiry
  Nanoseconds deadline;  // the next, or the last one that is over
  Nanoseconds interval;
  std::int64_t overrun;  // of the signal that waits
  int last_overrun;      // of the one that was taken last
  Site site;
};

struct ExecutionPosixTimers {
  model::Table<PosixTimer> timers;
  int timer_count = 0;
  model::Table<TaskId> free_tasks;
  std::uint32_t free_count = 0;
};
constinit ExecutionPosixTimers execution_posix_timers{};

void arm(const PosixTimer& timer) {
  const int signal = timer.notice.how == SIGEV_THREAD ? 0 : timer.notice.signal;
  arm_timer(timer.task, timer.deadline, signal, timer.notice.target, timer.interval == 0);
}

int as_overrun(std::int64_t count) { return count > INT_MAX ? INT_MAX : static_cast<int>(count); }

// To the next expiry. How many of them are over already.
std::int64_t move_on(PosixTimer& timer) {
  std::int64_t passed = 0;
  timer.deadline = next_in_row(timer.deadline, timer.interval, passed);
  arm(timer);
  return passed;
}

// As glibc: a detached thread for each expiry, which blocks no signals. The function takes its value as a thread's
// takes its argument; what such a thread returns nobody sees.
void start_thread(const PosixTimer& timer) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (timer.notice.stack_bytes != 0) pthread_attr_setstacksize(&attributes, timer.notice.stack_bytes);
  if (runtime.mode == Mode::Detached) tell_of_threads(timer.site);
  TaskId made = kNoTask;
  const auto function = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void (*)()>(timer.notice.function));
  const ThreadEntry entry{function, timer.notice.value.sival_ptr, false};
  if (make_thread(&attributes, entry, timer.task, 0, timer.site, made) != 0)
    note("a timer's thread could not be made: there are too many threads");
}

PosixTimer& timer_at(int number) { return execution_posix_timers.timers[static_cast<std::uint32_t>(number)]; }

void send_signal_of(int number, std::int32_t result) {
  const TimerNotice& notice = timer_at(number).notice;
  siginfo_t info{};
  info.si_signo = notice.signal;
  info.si_code = SI_TIMER;
  info.si_value = notice.value;
  info.si_timerid = number;
  post_sent_signal(result, info, notice.target == kNoTask);
}

void on_expired(TaskId task, std::int32_t result) {
  int number = execution_posix_timers.timer_count;
  while (number-- > 0 && timer_at(number).task != task) {
  }
  if (number < 0 || !timer_at(number).armed) return;
  PosixTimer& timer = timer_at(number);
  if (timer.interval == 0) timer.armed = false;
  if (timer.notice.how == SIGEV_THREAD)
    start_thread(timer);
  else
    send_signal_of(number, result);
  if (timer.interval != 0 && !timer.signal_waits) move_on(timer);
}

TaskId take_free_task() {
  while (execution_posix_timers.free_count != 0) {
    const TaskId task = execution_posix_timers.free_tasks[--execution_posix_timers.free_count];
    if (timer_exists(task)) return task;
  }
  return kNoTask;
}

bool counts_processor_time(clockid_t clock) {
  return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

}  // namespace

int make_posix_timer(clockid_t clock, const TimerNotice& notice, Site site, bool names_itself) {
  if (execution_posix_timers.timer_count == kMaxTimers) return -1;
  TaskId task = take_free_task();
  if (task == kNoTask) {
    char name[sizeof TaskData::name];
    snprintf(name, sizeof name, "timer %d", execution_posix_timers.timer_count);
    task = make_timer(name, site, on_expired);
  }
  if (task == kNoTask) return -1;
  // Who waits uses no processor time: such a timer never expires because all wait.
  runtime.tasks[task].is_patient = counts_processor_time(clock);
  const int number = execution_posix_timers.timer_count++;
  execution_posix_timers.timers.ensure(static_cast<std::uint32_t>(number), os::allocate);
  PosixTimer& timer = timer_at(number);
  timer = PosixTimer();
  timer.clock = clock;
  timer.notice = notice;
  if (names_itself) timer.notice.value.sival_int = number;
  timer.task = task;
  timer.object = runtime.world->task(task).thread;
  timer.site = site;
  return number;
}

bool is_posix_timer(int number) {
  return number >= 0 && number < execution_posix_timers.timer_count && timer_exists(timer_at(number).task);
}

clockid_t clock_of_timer(int number) { return timer_at(number).clock; }
ObjectId timer_object(int number) { return timer_at(number).object; }

void set_posix_timer(int number, Nanoseconds deadline, Nanoseconds interval) {
  PosixTimer& timer = timer_at(number);
  timer.armed = deadline != kNoDeadline;
  timer.signal_waits = false;
  timer.overrun = 0;
  timer.deadline = timer.armed ? deadline : 0;
  timer.interval = timer.armed ? interval : 0;
  disarm_timer(timer.task);
  race_pass_on(runtime.current, timer.task);
  if (timer.armed && timer.notice.how != SIGEV_NONE) arm(timer);
}

TimerSetting setting_of_timer(int number) {
  const PosixTimer& timer = timer_at(number);
  if (!timer.armed) return {0, timer.interval};
  constexpr Nanoseconds kAboutToExpire = 1;
  const Nanoseconds now = runtime.world->clock().now();
  if (timer.deadline > now) return {timer.deadline - now, timer.interval};
  if (timer.interval != 0) {
    std::int64_t passed = 0;
    return {next_in_row(timer.deadline, timer.interval, passed) - now, timer.interval};
  }
  return {timer.notice.how == SIGEV_NONE ? 0 : kAboutToExpire, 0};
}

int overrun_of_timer(int number) { return timer_at(number).last_overrun; }

void delete_posix_timer(int number) {
  PosixTimer& timer = timer_at(number);
  disarm_timer(timer.task);
  execution_posix_timers.free_tasks.ensure(execution_posix_timers.free_count, os::allocate);
  execution_posix_timers.free_tasks[execution_posix_timers.free_count++] = timer.task;
  timer.task = kNoTask;
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
