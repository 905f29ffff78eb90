// See timers.h.
#include "runtime/signals/timers.h"

#include <signal.h>
#include <string.h>

#include "runtime/instrument/races.h"
#include "runtime/os/system_call.h"
#include "runtime/recorder.h"
#include "runtime/signals/deliver.h"

namespace heddle::runtime {
namespace {

// A signal that ends the process is a watchdog's: it does not bark early, and a deadlock is told as what it is. Not so
// where somebody blocks it, who is going to take it.
bool is_watchdog(int signal) {
  const model::World& world = *runtime.world;
  if (!ends_process(signal)) return false;
  for (std::uint32_t id = 0; id < world.task_count(); ++id) {
    const model::Task& task = world.task(static_cast<TaskId>(id));
    if (!task.ended && !task.timer && (task.blocked_signals & model::signal_bit(signal)) != 0) return false;
  }
  return true;
}

void publish(TaskId timer, Nanoseconds deadline, int signal) {
  model::Operation operation;
  operation.kind = OperationKind::TimerExpire;
  operation.object = runtime.world->task(timer).thread;
  operation.deadline = deadline;
  operation.signal = static_cast<std::uint8_t>(signal);
  operation.patient = is_watchdog(signal);
  const TaskId target = runtime.tasks[timer].timer_target;
  operation.object2 = target == kNoTask ? kNoObject : runtime.world->task(target).thread;
  runtime.tasks[timer].timer_deadline = deadline;
  runtime.world->publish(timer, operation);
}

}  // namespace

TaskId make_timer(const char* name, Site site) {
  model::World& world = *runtime.world;
  const TaskId timer = world.add_timer(runtime.current, site);
  if (timer == kNoTask) return kNoTask;
  race_new_task(timer, runtime.current);
  runtime.tasks.ensure(timer, os::allocate);
  TaskData& data = runtime.tasks[timer];
  data = TaskData();
  data.named = true;
  strncpy(data.name, name, sizeof data.name - 1);
  record_object(world.task(timer).thread);
  record_task(timer, 0);
  record_message(MessageKind::TaskName, timer, name, strlen(name));
  disarm_timer(timer);
  return timer;
}

void arm_timer(TaskId timer, Nanoseconds deadline, Nanoseconds interval, int signal, TaskId target) {
  TaskData& data = runtime.tasks[timer];
  data.timer_interval = interval;
  data.timer_target = target;
  data.timer_signal = signal;
  race_pass_on(runtime.current, timer);
  publish(timer, deadline, signal);
}

void disarm_timer(TaskId timer) { publish(timer, kNoDeadline, 0); }

Nanoseconds timer_deadline(TaskId timer) {
  const model::Operation& pending = runtime.world->task(timer).pending;
  return pending.kind == OperationKind::TimerExpire ? pending.deadline : runtime.world->now();
}

Nanoseconds timer_interval(TaskId timer) { return runtime.tasks[timer].timer_interval; }

void timer_has_sent(TaskId timer, std::int32_t result) {
  const TaskData& data = runtime.tasks[timer];
  const Nanoseconds now = runtime.world->now();
  if (data.timer_interval == 0) {
    disarm_timer(timer);
  } else {
    Nanoseconds next = data.timer_deadline + data.timer_interval;
    if (next <= now) next += (now - next) / data.timer_interval * data.timer_interval + data.timer_interval;
    publish(timer, next, data.timer_signal);
  }
  siginfo_t info{};  // the kernel tells no sender
  info.si_signo = data.timer_signal;
  info.si_code = SI_KERNEL;
  post_sent_signal(result, info);
}

void on_timer_action_changed(int signal) {
  for (std::uint32_t id = 0; id < runtime.world->task_count(); ++id) {
    const model::Task& task = runtime.world->task(static_cast<TaskId>(id));
    if (!task.timer || task.ended || task.pending.signal != signal) continue;
    if (task.pending.kind == OperationKind::TimerExpire)
      publish(static_cast<TaskId>(id), task.pending.deadline, signal);
  }
}

}  // namespace heddle::runtime
