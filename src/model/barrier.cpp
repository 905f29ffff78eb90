// Barriers. In each round every task but the last to arrive waits; the last one releases the others and returns at
// once. The next round may begin while some are still leaving; only destruction waits for them.
#include "model/object_model.h"
#include "model/queue.h"

namespace heddle::model {
namespace {

constexpr std::int32_t kSerialThread = -1;  // PTHREAD_BARRIER_SERIAL_THREAD

bool enabled(const World& world, const Task& task) {
  if (task.pending.kind == OperationKind::BarrierLeave) return task.signalled;
  if (task.pending.kind != OperationKind::BarrierDestroy) return true;
  const Object& object = target(world, task);
  const BarrierState& barrier = object.barrier;
  return object.is_gone() || barrier.leaving == 0 || barrier.waiters.count + barrier.interrupted != 0;
}

Effect end_round(World& world, BarrierState& barrier) {
  barrier.arrived = 0;
  ++barrier.round;
  barrier.leaving += barrier.interrupted;  // they will find the round over
  barrier.interrupted = 0;
  while (barrier.waiters.count != 0) {
    const TaskId waiter = barrier.waiters.first;
    remove(world.population(), barrier.waiters, waiter);
    world.task(waiter).signalled = true;
    ++barrier.leaving;
  }
  return released(kSerialThread);
}

Effect arrive(World& world, TaskId id, BarrierState& barrier) {
  if (++barrier.arrived == barrier.threshold) return end_round(world, barrier);
  Operation operation = world.task(id).pending;
  operation.kind = OperationKind::BarrierLeave;
  push(world.population(), barrier.waiters, id);
  world.set_pending(id, operation);
  return {.completes = false, .released = true};
}

// A handler has run while it waited; it still counts as arrived.
Effect interrupt(World& world, TaskId id, Interruption) {
  Operation& pending = world.task(id).pending;
  if (pending.kind != OperationKind::BarrierLeave) return {};
  BarrierState& barrier = world.object(pending.object).barrier;
  remove(world.population(), barrier.waiters, id);
  ++barrier.interrupted;
  pending.kind = OperationKind::BarrierRejoin;
  pending.expected = barrier.round;
  return {};
}

Effect rejoin(World& world, TaskId id, BarrierState& barrier) {
  Operation operation = world.task(id).pending;
  if (barrier.round != operation.expected) {
    --barrier.leaving;
    return changed();
  }
  --barrier.interrupted;
  operation.kind = OperationKind::BarrierLeave;
  push(world.population(), barrier.waiters, id);
  world.set_pending(id, operation);
  return {.completes = false};
}

Effect leave(World& world, TaskId id, BarrierState& barrier) {
  world.task(id).signalled = false;
  --barrier.leaving;
  return changed();
}

Effect destroy(Object& object) {
  if (object.barrier.waiters.count + object.barrier.interrupted != 0)
    return misuse("destroyed a barrier that threads wait on");
  object.gone = Gone::Destroyed;
  return changed();
}

Effect apply(World& world, TaskId id, Variant) {
  const OperationKind kind = world.task(id).pending.kind;
  Object& object = world.object(world.task(id).pending.object);
  if (object.is_gone()) return misuse_of_gone(object);
  if (kind == OperationKind::BarrierLeave) return leave(world, id, object.barrier);
  if (kind == OperationKind::BarrierRejoin) return rejoin(world, id, object.barrier);
  return kind == OperationKind::BarrierDestroy ? destroy(object) : arrive(world, id, object.barrier);
}

}  // namespace

const ObjectModel kBarrierModel = {enabled, one_variant, apply, never_spurious, interrupt};

}  // namespace heddle::model
