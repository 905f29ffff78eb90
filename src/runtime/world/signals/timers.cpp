// See timers.h.
#include "runtime/world/signals/timers.h"

#include <signal.h>
#include <string.h>

#include "model/interrupts.h"
#include "runtime/detect/race_orders.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/actions.h"

namespace heddle::runtime {
namespace {

// A signal that ends the process is a watchdog's: it does not bark early, and a deadlock is told as what it is. Not so
// where somebody blocks it, who is going to take it.
bool is_watchdog(int signal) {
  const model::World& world = *runtime.world;
  if (!ends_process(signal)) return false;
  for (std::uint32_t id = 0; id < world.population().task_count(); ++id) {
    const model::Task& task = world.task(static_cast<TaskId>(id));
    if (!task.ended && !task.timer && (task.blocked_signals & model::signal_bit(signal)) != 0) return false;
  }
  return true;
}

void publish(TaskId timer, Nanoseconds deadline, int signal, ObjectId target, bool one_shot) {
  model::Operation operation;
  operation.kind = OperationKind::TimerExpire;
  operation.object = runtime.world->task(timer).thread;
  operation.object2 = target;
  operation.site = runtime.world->object(operation.object).created_at;
  operation.deadline = deadline;
  operation.signal = static_cast<std::uint8_t>(signal);
  const bool watches = signal != 0 && is_watchdog(signal);  // and does not come again
  operation.patient = runtime.tasks[timer].is_patient || watches;
  operation.one_shot = (one_shot || watches) && !runtime.tasks[timer].is_patient;
  runtime.world->publish(timer, operation);
}

struct ExecutionTimers {
  bool any = false;
};
constinit ExecutionTimers execution_timers{};

}  // namespace

TaskId make_timer(const char* name, Site site, void (*on_expired)(TaskId timer, std::int32_t result)) {
  model::World& world = *runtime.world;
  const TaskId timer = model::add_timer(world, runtime.current, site);
  if (timer == kNoTask) return kNoTask;
  race_new_task(timer, runtime.current);
  execution_timers.any = true;
  runtime.tasks.ensure(timer, os::allocate);
  TaskData& data = runtime.tasks[timer];
  data = TaskData();
  data.on_expired = on_expired;
  data.named = true;
  strncpy(data.name, name, sizeof data.name - 1);
  record_object(world.task(timer).thread);
  record_task(timer, 0);
  record_message(MessageKind::TaskName, timer, name, strlen(name));
  disarm_timer(timer);
  return timer;
}

bool timer_exists(TaskId timer) { return timer != kNoTask && !runtime.world->task(timer).ended; }

void arm_timer(TaskId timer, Nanoseconds deadline, int signal, TaskId target, bool one_shot) {
  runtime.tasks[timer].is_one_shot = one_shot;
  publish(timer, deadline, signal, target == kNoTask ? kNoObject : runtime.world->task(target).thread, one_shot);
}

void disarm_timer(TaskId timer) { publish(timer, kNoDeadline, 0, kNoObject, false); }

Nanoseconds timer_deadline(TaskId timer) {
  const model::Operation& pending = runtime.world->task(timer).pending;
  return pending.kind == OperationKind::TimerExpire ? pending.deadline : runtime.world->clock().now();
}

Nanoseconds next_in_row(Nanoseconds deadline, Nanoseconds interval, std::int64_t& passed) {
  const Nanoseconds now = runtime.world->clock().now();
  passed = now > deadline ? (now - deadline) / interval : 0;
  return deadline + (passed + 1) * interval;
}

void timer_has_sent(TaskId timer, std::int32_t result) {
  disarm_timer(timer);
  runtime.tasks[timer].on_expired(timer, result);
}

void on_timer_action_changed(std::uint64_t signals) {
  if (!execution_timers.any) return;
  for (std::uint32_t id = 0; id < runtime.world->population().task_count(); ++id) {
    const model::Task& task = runtime.world->task(static_cast<TaskId>(id));
    const model::Operation& pending = task.pending;
    if (!task.timer || task.ended || pending.signal == 0 || (signals & model::signal_bit(pending.signal)) == 0)
      continue;
    if (pending.kind == OperationKind::TimerExpire)
      publish(static_cast<TaskId>(id), pending.deadline, pending.signal, pending.object2,
              runtime.tasks[id].is_one_shot);
  }
}

}  // namespace heddle::runtime
