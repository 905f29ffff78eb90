// See futex_lock.h. It does as the kernel does. A free word takes the caller's id. A taken one gets the bit for
// waiters, and the unlock hands it to the task that has waited longest. Priorities don't count.
#include "model/futex_lock.h"

#include "model/object_model.h"
#include "model/queue.h"
#include "protocol/thread_numbers.h"

namespace heddle::model {
namespace {

constexpr std::uint32_t kWaiters = 0x80000000, kOwnerDied = 0x40000000, kThreadId = 0x3fffffff;

ThreadNumbers numbers(const Operation& operation) { return ThreadNumbers::unpacked(operation.argument); }

bool holds(const Operation& operation, TaskId id) { return (*operation.word & kThreadId) == numbers(operation).of(id); }

bool is_live_thread(const World& world, const Operation& operation, std::uint32_t number) {
  const TaskId task = numbers(operation).task_with(number, world.population().task_count());
  return task != kNoTask && !world.task(task).ended;
}

void take(const Operation& operation, TaskId id, FutexState& futex, std::uint32_t bits) {
  *operation.word = numbers(operation).of(id) | bits;
  futex.owner = id;
  futex.taken_at = operation.site;
}

bool take_if_free(const Operation& operation, TaskId id, FutexState& futex) {
  if ((*operation.word & kThreadId) != 0 || futex.waiters.count != 0) return false;
  take(operation, id, futex, *operation.word & kOwnerDied);
  return true;
}

void hand_over(World& world, FutexState& futex, TaskId next, std::uint32_t bits) {
  release_waiter(world, futex, next);
  world.population().count_lock_wait(-1);
  take(world.task(next).pending, next, futex, kWaiters | bits);
}

}  // namespace

Effect lock_futex(World& world, TaskId id, FutexState& futex) {
  Operation operation = world.task(id).pending;
  if (take_if_free(operation, id, futex)) return changed();
  if (holds(operation, id)) return unchanged(EDEADLK);
  const std::uint32_t owner = *operation.word & kThreadId;
  *operation.word |= kWaiters;
  if (!is_live_thread(world, operation, owner)) return changed(ESRCH);
  operation.kind = OperationKind::FutexLocked;
  world.task(id).signalled = false;
  push(world.population(), futex.waiters, id);
  world.population().count_lock_wait(1);
  world.set_pending(id, operation);
  return {.completes = false};
}

Effect locked_futex(World& world, TaskId id, FutexState& futex) {
  if (world.task(id).signalled) {
    world.task(id).signalled = false;
    return unchanged();
  }
  remove(world.population(), futex.waiters, id);
  world.population().count_lock_wait(-1);
  return {.result = ETIMEDOUT, .timed_out = true};
}

Effect try_lock_futex(World& world, TaskId id, FutexState& futex) {
  const Operation& operation = world.task(id).pending;
  if (take_if_free(operation, id, futex)) return changed();
  return unchanged(holds(operation, id) ? EDEADLK : EAGAIN);
}

Effect unlock_futex(World& world, TaskId id, FutexState& futex) {
  const Operation& operation = world.task(id).pending;
  if (!holds(operation, id)) return unchanged(EPERM);
  const TaskId next = futex.waiters.first;
  if (next != kNoTask && world.task(next).pending.kind != OperationKind::FutexLocked) return unchanged(EINVAL);
  futex.owner = kNoTask;
  futex.taken_at = 0;
  if (next == kNoTask) {
    *operation.word = 0;
    return released();
  }
  hand_over(world, futex, next, 0);
  return released();
}

// Like the kernel: it knows the owner of a lock from the moment that somebody waits for it.
void hand_over_futexes(World& world, TaskId id) {
  for (std::uint32_t i = 0; world.population().lock_waits() != 0 && i < world.population().task_count(); ++i) {
    const auto waiter = static_cast<TaskId>(i);
    const Task& task = world.task(waiter);
    const Operation& pending = task.pending;
    if (!task.published || pending.kind != OperationKind::FutexLocked || task.signalled) continue;
    FutexState& futex = world.object(pending.object).futex;
    if (!holds(pending, id)) continue;
    const ObjectId object = pending.object;
    hand_over(world, futex, futex.waiters.first, kOwnerDied);
    world.reevaluate_object(object);
  }
}

}  // namespace heddle::model
