// See sleep_set.h.
#include "model/sleep_set.h"

namespace heddle::model {
namespace {

bool could_choose(const World& world, const SleepSet& sleep, TaskId id) {
  return (world.task(id).state & TaskState::Eligible) != 0 && !sleep.asleep({id, 0});
}

// Taken now, it would end because its time is over.
bool is_overdue(const World& world, const Operation& pending) {
  if (pending.deadline > world.now()) return false;
  const std::uint8_t needed =
      pending.kind == OperationKind::ReadLock ? StepMarks::OpenShared : StepMarks::OpenExclusive;
  return pending.kind == OperationKind::ConditionWake || (open_marks(world, pending) & needed) == 0;
}

}  // namespace

void SleepSet::add(const World& world, const Sleeper& sleeper) {
  if (count_ == kCapacity) return;
  const Operation& pending = world.task(sleeper.choice.task).pending;
  const Choice choice = world.normal(sleeper.choice);
  const Variant variant = is_overdue(world, pending) ? kTimeout : choice.variant;
  entries_[count_++] = {choice, access_of(pending.kind, variant, pending.object, pending.object2, sleeper.wrote)};
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

Access access_of_step(OperationKind kind, ObjectId object, ObjectId object2, Choice choice, const Effect& effect,
                      bool early_timeouts) {
  const bool wrote = effect.wrote && !is_failed_try(kind, effect.result);
  Access access = access_of(kind, effect.timed_out ? kTimeout : choice.variant, object, object2, wrote);
  // Where time passes only when nothing else can go on, whatever went on came before it.
  if (!early_timeouts && choice.variant == kTimeout) access.everything = true;
  return access;
}

bool choose_awake(const World& world, const Decision& decision, const SleepSet& sleep, Choice& choice) {
  choice = decision.choice;
  if (choice.variant == kTimeout && !sleep.asleep(choice)) return true;
  if (choice.variant == 0 && !decision.yielded && could_choose(world, sleep, choice.task)) return true;
  const std::uint32_t tasks = world.task_count(), first = decision.yielded ? decision.last + 1u : 0;
  for (std::uint32_t i = 0; i < tasks; ++i) {
    const auto id = static_cast<TaskId>((first + i) % tasks);
    if (!could_choose(world, sleep, id)) continue;
    choice = {id, 0};
    return true;
  }
  if (!decision.nothing_enabled) return false;
  for (std::uint32_t i = 0; i < tasks; ++i) {
    choice = {static_cast<TaskId>(i), kTimeout};
    if ((world.task(choice.task).state & TaskState::Timeout) != 0 && !sleep.asleep(choice)) return true;
  }
  return false;
}

std::uint8_t open_marks(const World& world, const Operation& operation) {
  const ObjectId named = operation.kind == OperationKind::ConditionWait ? operation.object2 : operation.object;
  if (named == kNoObject) return 0;
  const Object& object = world.object(named);
  const auto open = [](bool exclusive) {
    return static_cast<std::uint8_t>(exclusive ? StepMarks::OpenExclusive | StepMarks::OpenShared : 0);
  };
  switch (object.kind) {
    case ObjectKind::Mutex:
      return open(object.mutex.owner == kNoTask);
    case ObjectKind::Semaphore:
      return open(object.semaphore.value != 0);
    case ObjectKind::SpinLock:
      return open(object.spinlock.owner == kNoTask);
    case ObjectKind::Once:
      return open(object.once.done || object.once.runner == kNoTask);
    case ObjectKind::Thread:
      return open(object.thread.ended);
    case ObjectKind::RwLock:
      if (object.rwlock.writer == kNoTask && object.rwlock.readers != 0) return StepMarks::OpenShared;
      return open(object.rwlock.writer == kNoTask);
    default:
      return open(true);
  }
}

std::uint8_t marks_of_step(const World& world, const Operation& operation, bool early_timeouts) {
  const bool timed = operation.deadline != kNoDeadline && (early_timeouts || operation.deadline <= world.now());
  return static_cast<std::uint8_t>(open_marks(world, operation) | (timed ? StepMarks::Timed : 0));
}

}  // namespace heddle::model
