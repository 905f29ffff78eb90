// Spin locks. Natively they don't know their owner; the model does, so that a wrong unlock is found. A task that locks
// its own spin lock again is never enabled: natively it spins for ever.
#include "model/object_model.h"

namespace heddle::model {
namespace {

bool enabled(const World& world, const Task& task) {
  if (task.pending.kind != OperationKind::SpinLock) return true;
  const Object& object = target(world, task);
  return object.is_gone() || object.spinlock.owner == kNoTask;
}

Effect take(SpinLockState& lock, TaskId id, Site site) {
  if (lock.owner != kNoTask) return unchanged(EBUSY);
  lock.owner = id;
  lock.taken_at = site;
  return changed();
}

Effect unlock(SpinLockState& lock, TaskId id) {
  if (lock.owner == kNoTask) return misuse("unlocked a spin lock that nobody holds");
  if (lock.owner != id) return misuse("unlocked a spin lock that another thread holds");
  lock.owner = kNoTask;
  lock.taken_at = 0;
  return released();
}

Effect destroy(Object& object) {
  if (object.spinlock.owner != kNoTask) return misuse("destroyed a spin lock that is still locked");
  object.gone = Gone::Destroyed;
  return changed();
}

Effect apply(World& world, TaskId id, Variant) {
  const Operation& operation = world.task(id).pending;
  Object& object = world.object(operation.object);
  if (object.is_gone()) return misuse_of_gone(object);
  switch (operation.kind) {
    case OperationKind::SpinUnlock:
      return unlock(object.spinlock, id);
    case OperationKind::SpinDestroy:
      return destroy(object);
    default:
      return take(object.spinlock, id, operation.site);
  }
}

}  // namespace

const ObjectModel kSpinLockModel = {enabled, one_variant, apply, never_spurious};

}  // namespace heddle::model
