// Futexes, as the kernel has them: FutexWait compares the word and enqueues, FutexWake takes waiters out of the queue
// in the order of arrival, as far as their bit sets meet. Which waiter is woken is a choice where one of several is.
#include "model/object_model.h"

namespace heddle::model {
namespace {

std::uint32_t bits_of_waiter(const Task& task) { return static_cast<std::uint32_t>(task.pending.argument); }
std::uint32_t bits_of_wake(const Operation& wake) { return static_cast<std::uint32_t>(wake.argument >> 32); }

// The kernel takes the number as an int, and looks at it only after the first one is woken: 0 and less wake one.
std::uint32_t how_many(const Operation& wake) {
  const auto count = static_cast<std::int32_t>(static_cast<std::uint32_t>(wake.argument));
  return count < 1 ? 1 : static_cast<std::uint32_t>(count);
}

// The first waiter from `id` on (itself included) that the wake is for; kNoTask when there is none.
TaskId match_from(const World& world, TaskId id, std::uint32_t bits) {
  while (id != kNoTask && (bits_of_waiter(world.task(id)) & bits) == 0) id = world.task(id).queue_next;
  return id;
}

std::uint16_t variants(const World& world, const Task& task) {
  if (task.pending.kind != OperationKind::FutexWake || how_many(task.pending) != 1) return 1;
  const std::uint32_t bits = bits_of_wake(task.pending);
  std::uint16_t matches = 0;
  for (TaskId id = match_from(world, target(world, task).futex.waiters.first, bits); id != kNoTask;
       id = match_from(world, world.task(id).queue_next, bits))
    ++matches;
  return matches == 0 ? std::uint16_t{1} : matches;
}

bool enabled(const World&, const Task& task) {
  return task.pending.kind != OperationKind::FutexWoken || task.signalled;
}

Effect wait(World& world, TaskId id, FutexState& futex) {
  Operation operation = world.task(id).pending;
  if (bits_of_waiter(world.task(id)) == 0) return unchanged(EINVAL);
  if (*operation.word != operation.expected) return unchanged(EAGAIN);
  operation.kind = OperationKind::FutexWoken;
  world.task(id).signalled = false;
  world.push(futex.waiters, id);
  world.set_pending(id, operation);
  return {.completes = false};
}

// A waiter that a wake has taken out has nothing left to do; one whose wait ends otherwise leaves the queue by itself.
Effect woken(World& world, TaskId id, FutexState& futex, Variant variant) {
  if (world.task(id).signalled) {
    world.task(id).signalled = false;
    return unchanged();
  }
  world.remove(futex.waiters, id);
  if (variant != kTimeout) return changed();
  return {.result = ETIMEDOUT, .timed_out = true};
}

// The call ends with EINTR, or is made anew as it was.
Effect interrupt(World& world, TaskId id, Interruption) {
  Operation& pending = world.task(id).pending;
  if (pending.kind != OperationKind::FutexWoken) return {};
  world.remove(world.object(pending.object).futex.waiters, id);
  pending.kind = OperationKind::FutexWait;
  return {};
}

void release(World& world, FutexState& futex, TaskId waiter) {
  Operation operation = world.task(waiter).pending;
  operation.deadline = kNoDeadline;  // it can't time out any more
  world.remove(futex.waiters, waiter);
  world.task(waiter).signalled = true;
  world.set_pending(waiter, operation);
}

Effect wake(World& world, const Operation& operation, FutexState& futex, Variant variant) {
  const std::uint32_t bits = bits_of_wake(operation), most = how_many(operation);
  if (bits == 0) return unchanged(EINVAL);
  TaskId waiter = match_from(world, futex.waiters.first, bits);
  for (; variant != 0 && waiter != kNoTask; --variant) waiter = match_from(world, world.task(waiter).queue_next, bits);
  std::uint32_t count = 0;
  while (waiter != kNoTask && count < most) {
    const TaskId next = world.task(waiter).queue_next;
    release(world, futex, waiter);
    ++count;
    waiter = match_from(world, next, bits);
  }
  return count == 0 ? unchanged() : released(static_cast<std::int32_t>(count));
}

Effect apply(World& world, TaskId id, Variant variant) {
  const Operation operation = world.task(id).pending;
  FutexState& futex = world.object(operation.object).futex;
  switch (operation.kind) {
    case OperationKind::FutexWoken:
      return woken(world, id, futex, variant);
    case OperationKind::FutexWake:
      return wake(world, operation, futex, variant);
    default:
      return wait(world, id, futex);
  }
}

bool may_be_spurious(const Task& task) { return task.pending.kind == OperationKind::FutexWoken && !task.signalled; }

}  // namespace

const ObjectModel kFutexModel = {enabled, variants, apply, may_be_spurious, interrupt};

}  // namespace heddle::model
