// See timers.h. As in the kernel, a periodic timer rests from its expiry until it is read; then it counts the
// expirations that it has missed.
#include "runtime/system_calls/timers.h"

#include <errno.h>
#include <stdio.h>
#include <sys/timerfd.h>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/files.h"
#include "runtime/detect/race_orders.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/clock.h"
#include "runtime/world/signals/masks.h"
#include "runtime/world/signals/timers.h"

namespace heddle::runtime {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;

struct DescriptorTimer {
  ObjectId object;  // of the open file
  TaskId task;      // that expires
  clockid_t clock;
  bool armed;
  bool expired;          // and not read since
  Nanoseconds deadline;  // the next, or the last one that is over
  Nanoseconds interval;
};

struct ExecutionDescriptorTimers {
  model::Table<DescriptorTimer> all;
  std::uint32_t count = 0;
};
constinit ExecutionDescriptorTimers execution_descriptor_timers{};

DescriptorTimer* timer_of(long descriptor) {
  if (kind_of(descriptor) != DescriptorKind::Timer) return nullptr;
  const ObjectId object = object_of(descriptor, 0);
  for (std::uint32_t i = execution_descriptor_timers.count; i-- > 0;)
    if (execution_descriptor_timers.all[i].object == object) return &execution_descriptor_timers.all[i];
  return nullptr;
}

bool add(const DescriptorTimer& timer, std::uint64_t count) {
  const int descriptor = descriptor_of(timer.object);
  if (descriptor < 0) return false;  // all are closed
  SystemCall as_setting;
  as_setting.number = SYS_timerfd_settime;
  as_setting.arguments[0] = descriptor;
  judge_effect(as_setting);
  os::system_call(SYS_write, descriptor, reinterpret_cast<long>(&count), sizeof count);
  return true;
}

void on_expired(TaskId task, std::int32_t) {
  for (std::uint32_t i = execution_descriptor_timers.count; i-- > 0;) {
    DescriptorTimer& timer = execution_descriptor_timers.all[i];
    if (timer.task != task || !timer.armed) continue;
    timer.armed = timer.interval != 0;
    timer.expired = true;
    if (add(timer, 1)) after_call();
    return;
  }
}

// Takes out what the program has not read.
void clear(long descriptor) {
  const NonBlocking guard(descriptor);
  std::uint64_t count = 0;
  os::system_call(SYS_read, descriptor, reinterpret_cast<long>(&count), sizeof count);
}

bool is_clock_for_descriptors(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
         clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM;
}

// The clocks that wake the machine show the time of others.
clockid_t plain(clockid_t clock) {
  return clock == CLOCK_REALTIME_ALARM ? CLOCK_REALTIME : clock == CLOCK_BOOTTIME_ALARM ? CLOCK_BOOTTIME : clock;
}

timespec to_timespec(Nanoseconds time) { return {time / kSecond, time % kSecond}; }

itimerspec setting_of(const DescriptorTimer& timer) {
  itimerspec setting{};
  if (!timer.armed) return setting;
  constexpr Nanoseconds kAboutToExpire = 1;
  const Nanoseconds now = runtime.world->clock().now();
  std::int64_t passed = 0;
  Nanoseconds next = timer.deadline;
  if (next <= now) next = timer.interval != 0 ? next_in_row(next, timer.interval, passed) : now + kAboutToExpire;
  return {to_timespec(timer.interval), to_timespec(next - now)};
}

bool is_valid(const timespec& time) { return valid(time) && time.tv_sec >= 0; }

// For a child that was forked, which has none of its parent's tasks.
bool make_task(DescriptorTimer& timer, int descriptor, Site site) {
  if (timer_exists(timer.task)) return true;
  char name[sizeof TaskData::name];
  snprintf(name, sizeof name, "timerfd %d", descriptor);
  timer.task = make_timer(name, site, on_expired);
  return timer.task != kNoTask;
}

void set(DescriptorTimer& timer, long descriptor, const itimerspec& wanted, bool is_absolute) {
  timer.expired = false;
  clear(descriptor);
  timer.armed = wanted.it_value.tv_sec != 0 || wanted.it_value.tv_nsec != 0;
  timer.interval = timer.armed ? wanted.it_interval.tv_sec * kSecond + wanted.it_interval.tv_nsec : 0;
  if (!timer.armed) return disarm_timer(timer.task);
  timer.deadline = is_absolute ? deadline_at(timer.clock, &wanted.it_value) : deadline_after(wanted.it_value);
  race_pass_on(runtime.current, timer.task);
  arm_timer(timer.task, timer.deadline, 0, kNoTask, timer.interval == 0);
}

long error_of_descriptor(long descriptor) { return kind_of(descriptor) == DescriptorKind::All ? -EBADF : -EINVAL; }

}  // namespace

long perform_timer_create(const SystemCall& call, Site site) {
  const auto clock = static_cast<clockid_t>(call.arguments[0]);
  if ((call.arguments[1] & ~long{TFD_CLOEXEC | TFD_NONBLOCK}) != 0 || !is_clock_for_descriptors(clock)) return -EINVAL;
  judge_effect(call);
  SystemCall counter;
  counter.number = SYS_eventfd2;
  counter.arguments[1] = call.arguments[1];
  const long descriptor = make_system_call(counter);
  if (descriptor < 0) return descriptor;
  forget_descriptor(descriptor);
  execution_descriptor_timers.all.ensure(execution_descriptor_timers.count, os::allocate);
  execution_descriptor_timers.all[execution_descriptor_timers.count] = DescriptorTimer();
  execution_descriptor_timers.all[execution_descriptor_timers.count].object =
      note_stand_in(static_cast<int>(descriptor), DescriptorKind::Timer, site);
  execution_descriptor_timers.all[execution_descriptor_timers.count].task = kNoTask;
  execution_descriptor_timers.all[execution_descriptor_timers.count].clock = plain(clock);
  ++execution_descriptor_timers.count;
  return descriptor;
}

long perform_timer_set(const SystemCall& call, Site site) {
  const long descriptor = static_cast<int>(call.arguments[0]);
  const long flags = call.arguments[1];
  const auto* wanted = reinterpret_cast<const itimerspec*>(call.arguments[2]);
  auto* old = reinterpret_cast<itimerspec*>(call.arguments[3]);
  if (!can_read(wanted)) return -EFAULT;
  const itimerspec next = *wanted;
  if ((flags & ~long{TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET}) != 0) return -EINVAL;
  if (!is_valid(next.it_value) || !is_valid(next.it_interval)) return -EINVAL;
  DescriptorTimer* timer = timer_of(descriptor);
  if (timer == nullptr)
    return kind_of(descriptor) == DescriptorKind::Timer ? pass(call) : error_of_descriptor(descriptor);
  judge_effect(call);
  if (runtime.mode != Mode::Alone) take_step_on(on_descriptor(OperationKind::DescriptorControl, descriptor, site));
  timer = timer_of(descriptor);
  if (timer == nullptr) return -EBADF;  // closed by another thread meanwhile
  make_signals_virtual();
  if (!make_task(*timer, static_cast<int>(descriptor), site)) return -ENOMEM;
  const itimerspec before = setting_of(*timer);
  set(*timer, descriptor, next, (flags & TFD_TIMER_ABSTIME) != 0);
  if (runtime.mode != Mode::Alone) after_call();
  if (old == nullptr) return 0;
  if (!can_write(old)) return -EFAULT;
  *old = before;
  return 0;
}

long perform_timer_get(const SystemCall& call, Site site) {
  const long descriptor = static_cast<int>(call.arguments[0]);
  auto* setting = reinterpret_cast<itimerspec*>(call.arguments[1]);
  const DescriptorTimer* timer = timer_of(descriptor);
  if (timer == nullptr)
    return kind_of(descriptor) == DescriptorKind::Timer ? pass(call) : error_of_descriptor(descriptor);
  if (!can_write(setting)) return -EFAULT;
  if (runtime.mode != Mode::Alone) take_step_on(on_descriptor(OperationKind::DescriptorControl, descriptor, site));
  timer = timer_of(descriptor);
  if (timer == nullptr) return -EBADF;  // closed by another thread meanwhile
  *setting = setting_of(*timer);
  return 0;
}

void before_timer_is_read(long descriptor) {
  DescriptorTimer* timer = timer_of(descriptor);
  if (timer == nullptr || !timer->expired) return;
  timer->expired = false;
  if (!timer->armed) return;
  std::int64_t passed = 0;
  timer->deadline = next_in_row(timer->deadline, timer->interval, passed);
  if (passed != 0) add(*timer, static_cast<std::uint64_t>(passed));
  arm_timer(timer->task, timer->deadline, 0, kNoTask, false);
}

}  // namespace heddle::runtime
