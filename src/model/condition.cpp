// Condition variables. ConditionWait releases the mutex and enqueues; a signal turns the waiter's pending ConditionWake
// into MutexReacquire without a step of the waiter; a timeout or a spurious wake-up is a ConditionWake step of its own.
//
// As in glibc, a wait unlocks the mutex once: a recursive mutex that is locked twice stays held (and nobody can
// signal).
#include "model/mutex.h"
#include "model/object_model.h"
#include "model/queue.h"

namespace heddle::model {
namespace {

bool enabled(const World&, const Task& task) { return task.pending.kind != OperationKind::ConditionWake; }

std::uint16_t variants(const World& world, const Task& task) {
  const std::uint16_t waiters = target(world, task).condition.waiters.count;
  return task.pending.kind == OperationKind::ConditionSignal && waiters > 1 ? waiters : std::uint16_t{1};
}

Effect wait(World& world, TaskId id) {
  Operation operation = world.task(id).pending;
  ConditionState& condition = world.object(operation.object).condition;
  if (world.object(operation.object2).is_gone()) return misuse_of_gone(world.object(operation.object2));
  if (condition.waiters.count != 0 && condition.mutex != operation.object2)
    return misuse("two threads wait on one condition variable with different mutexes");
  const Effect unlock = unlock_mutex(world, id, operation.object2);
  if (unlock.misuse != nullptr) return misuse("waited on a condition variable without holding the mutex");
  if (unlock.result != 0) return unlock;
  condition.mutex = operation.object2;
  push(world.population(), condition.waiters, id);
  operation.kind = OperationKind::ConditionWake;
  world.set_pending(id, operation);
  return {.completes = false, .released = true};
}

// The waiter, out of the queue, is through with the condition variable; its call returns `result` once it has the mutex
// again.
void wake_up(World& world, TaskId waiter, std::int32_t result) {
  const Operation wake = world.task(waiter).pending;
  Operation next;
  next.kind = OperationKind::MutexReacquire;
  next.object = wake.object2;
  next.object2 = wake.object;
  next.result = result;
  next.site = wake.site;
  world.set_pending(waiter, next);
}

// A handler has run while it waited. As with glibc it does not wake up for that; but what was signalled in the meantime
// may have been for it: then it does, perhaps for no reason, which POSIX allows.
Effect rejoin(World& world, TaskId id) {
  Operation operation = world.task(id).pending;
  ConditionState& condition = world.object(operation.object).condition;
  if (condition.round != operation.expected) {
    wake_up(world, id, 0);
    return {.result = EAGAIN, .completes = false, .wrote = false};
  }
  condition.mutex = operation.object2;
  push(world.population(), condition.waiters, id);
  operation.kind = OperationKind::ConditionWake;
  world.set_pending(id, operation);
  return {.completes = false};
}

Effect interrupt(World& world, TaskId id, Interruption how) {
  Operation& pending = world.task(id).pending;
  if (pending.kind != OperationKind::ConditionWake) return {};
  ConditionState& condition = world.object(pending.object).condition;
  remove(world.population(), condition.waiters, id);
  if (how == Interruption::Cancelled) {
    wake_up(world, id, ECANCELED);
    return {.completes = false};
  }
  pending.kind = OperationKind::ConditionRejoin;
  pending.expected = condition.round;
  return {};
}

void leave(World& world, ConditionState& condition, TaskId waiter, std::int32_t result) {
  remove(world.population(), condition.waiters, waiter);
  wake_up(world, waiter, result);
}

Effect wake(World& world, ConditionState& condition, TaskId id, Variant variant) {
  const bool timeout = variant == kTimeout;
  leave(world, condition, id, timeout ? ETIMEDOUT : 0);
  return {.completes = false, .timed_out = timeout};
}

Effect signal(World& world, ConditionState& condition, Variant variant) {
  ++condition.round;
  if (condition.waiters.count == 0) return unchanged();
  leave(world, condition, nth(world.population(), condition.waiters, variant), 0);
  return released();
}

Effect broadcast(World& world, ConditionState& condition) {
  ++condition.round;
  if (condition.waiters.count == 0) return unchanged();
  while (condition.waiters.count != 0) leave(world, condition, condition.waiters.first, 0);
  return released();
}

Effect destroy(Object& object) {
  if (object.condition.waiters.count != 0) return misuse("destroyed a condition variable that threads wait on");
  object.gone = Gone::Destroyed;
  return changed();
}

Effect apply(World& world, TaskId id, Variant variant) {
  const Operation& operation = world.task(id).pending;
  Object& object = world.object(operation.object);
  if (object.is_gone()) return misuse_of_gone(object);
  switch (operation.kind) {
    case OperationKind::ConditionWake:
      return wake(world, object.condition, id, variant);
    case OperationKind::ConditionRejoin:
      return rejoin(world, id);
    case OperationKind::ConditionSignal:
      return signal(world, object.condition, variant);
    case OperationKind::ConditionBroadcast:
      return broadcast(world, object.condition);
    case OperationKind::ConditionDestroy:
      return destroy(object);
    default:
      return wait(world, id);
  }
}

bool may_be_spurious(const Task& task) { return task.pending.kind == OperationKind::ConditionWake; }

}  // namespace

const ObjectModel kConditionModel = {enabled, variants, apply, may_be_spurious, interrupt};

}  // namespace heddle::model
