// See sleep_set.h.
#include "model/sleep_set.h"

namespace heddle::model {
namespace {

std::uint8_t order_marks(const Operation& operation) {
  const bool known = is_atomic_access(operation.kind) && operation.access != nullptr;
  return known && operation.access->sequential ? StepMarks::Sequential : std::uint8_t{0};
}

bool could_choose(const World& world, const SleepSet& sleep, TaskId id) {
  return (world.task(id).state & TaskState::Eligible) != 0 && !sleep.asleep({id, 0});
}

}  // namespace

void SleepSet::add(const World& world, const Sleeper& sleeper) {
  if (count_ == kCapacity) return;
  const Operation& pending = world.task(sleeper.choice.task).pending;
  const Access access = access_of(pending.kind, pending.object, pending.object2, sleeper.wrote);
  entries_[count_++] = {sleeper.choice, with_order_marked(access, pending.kind, order_marks(pending))};
}

bool SleepSet::asleep(Choice choice) const {
  for (std::uint32_t i = 0; i < count_; ++i)
    if (entries_[i].choice == choice) return true;
  return false;
}

void SleepSet::on_step(TaskId task, const Access& step) {
  for (std::uint32_t i = 0; i < count_;) {
    if (entries_[i].choice.task == task || dependent(step, entries_[i].access))
      entries_[i] = entries_[--count_];
    else
      ++i;
  }
}

Access access_of_step(const StepTaken& step, Choice choice, const Effect& effect, bool early_timeouts) {
  const bool wrote = effect.wrote && !is_failed_try(step.kind, effect.result);
  const Access all = access_of(step.kind, step.object, step.object2, wrote);
  const Access access = with_what_is_left(with_order_marked(all, step.kind, step.marks), step.kind, effect.result);
  return with_time(access, choice.variant == kTimeout, early_timeouts);
}

bool choose_awake(const World& world, const Decision& decision, const SleepSet& sleep, Choice& choice) {
  choice = decision.choice;
  if (choice.variant == kTimeout && !sleep.asleep({choice.task, 0})) return true;
  if (choice.variant == 0 && !decision.yielded && could_choose(world, sleep, choice.task)) return true;
  const std::uint32_t tasks = world.population().task_count(), first = decision.yielded ? decision.last + 1u : 0;
  for (std::uint32_t i = 0; i < tasks; ++i) {
    const auto id = static_cast<TaskId>((first + i) % tasks);
    if (!could_choose(world, sleep, id)) continue;
    choice = {id, 0};
    return true;
  }
  for (std::uint32_t i = 0; i < tasks; ++i) {
    choice = {static_cast<TaskId>(i), kTimeout};
    if ((world.task(choice.task).state & TaskState::Timeout) != 0 && !sleep.asleep({choice.task, 0})) return true;
  }
  return false;
}

std::uint8_t open_marks(const World& world, const Operation& operation) {
  if (operation.object == kNoObject) return 0;
  const Object& object = world.object(operation.object);
  const auto open = [](bool exclusive) {
    return static_cast<std::uint8_t>(exclusive ? StepMarks::OpenExclusive | StepMarks::OpenShared : 0);
  };
  switch (object.kind) {
    case ObjectKind::Mutex:
      return open(object.mutex.owner == kNoTask);
    case ObjectKind::Condition:
      return open(object.condition.waiters.count != 0);
    case ObjectKind::Semaphore:
      return open(object.semaphore.value != 0);
    case ObjectKind::SpinLock:
      return open(object.spinlock.owner == kNoTask);
    case ObjectKind::Once:
      return open(object.once.done || object.once.runner == kNoTask);
    case ObjectKind::Thread:
      return open(object.thread.ended);
    case ObjectKind::RwLock:
      if (object.rwlock.prefer_writer) return StepMarks::PrefersWriters;
      if (object.rwlock.writer == kNoTask && object.rwlock.readers != 0) return StepMarks::OpenShared;
      return open(object.rwlock.writer == kNoTask);
    default:
      return open(true);
  }
}

std::uint8_t marks_of_step(const World& world, const Operation& operation, bool early_timeouts) {
  const bool timed = operation.deadline != kNoDeadline && (early_timeouts || operation.deadline <= world.clock().now());
  return static_cast<std::uint8_t>(open_marks(world, operation) | (timed ? StepMarks::Timed : 0) |
                                   order_marks(operation));
}

}  // namespace heddle::model
