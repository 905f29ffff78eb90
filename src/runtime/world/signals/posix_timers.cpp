// See posix_timers.h.
#include "runtime/world/signals/posix_timers.h"

#include <stdio.h>

#include "runtime/detect/race_orders.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/forked_child.h"
#include "runtime/world/signals/post.h"
#include "runtime/world/signals/timers.h"

namespace heddle::runtime {
namespace {

constexpr int kMaxTimers = 1 << 16;  // in one execution, deleted ones included: their numbers are not used again

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

}  // namespace heddle::runtime
