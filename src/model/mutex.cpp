// Mutexes: normal, recursive, error-checking, each also robust; with glibc's errors. An unlock of a normal mutex by
// another thread is undefined: it is misuse. Where glibc promises an error value, the program gets that.
#include "model/mutex.h"

#include "model/object_model.h"
#include "protocol/assert.h"

namespace heddle::model {
namespace {

bool enabled(const World& world, const Task& task) {
  const OperationKind kind = task.pending.kind;
  if (kind != OperationKind::MutexLock && kind != OperationKind::MutexReacquire) return true;
  const Object& object = target(world, task);
  const MutexState& mutex = object.mutex;
  if (object.is_gone() || mutex.owner == kNoTask) return true;
  return mutex.owner == id_of(world, task) && mutex.type != MutexType::Normal;
}

Effect take_again(MutexState& mutex) {
  if (mutex.type == MutexType::ErrorCheck) return unchanged(EDEADLK);
  if (mutex.depth == UINT32_MAX) return unchanged(EAGAIN);
  ++mutex.depth;
  return changed();
}

Effect take(World& world, TaskId id, const Operation& operation) {
  MutexState& mutex = world.object(operation.object).mutex;
  if (mutex.not_recoverable) return unchanged(ENOTRECOVERABLE);
  if (mutex.owner == id) return take_again(mutex);
  lock_at_once(mutex, id, operation.site);
  if (mutex.robust) ++world.task(id).robust_held;
  if (!mutex.owner_died) return changed();
  mutex.owner_died = false;
  mutex.inconsistent = true;
  return changed(EOWNERDEAD);
}

Effect try_take(World& world, TaskId id, const Operation& operation) {
  const MutexState& mutex = world.object(operation.object).mutex;
  const bool again = mutex.owner == id && mutex.type == MutexType::Recursive;
  return mutex.owner == kNoTask || again ? take(world, id, operation) : unchanged(EBUSY);
}

Effect reacquire(World& world, TaskId id, const Operation& operation) {
  Effect effect = take(world, id, operation);
  if (effect.result == 0) effect.result = operation.result;
  return effect;
}

bool waits(const Operation& operation) {
  return operation.kind == OperationKind::MutexLock || operation.kind == OperationKind::MutexReacquire;
}

Effect destroy(const World& world, Object& object) {
  if (object.mutex.owner != kNoTask) {
    return any_pending(world, object, waits) ? misuse("destroyed a mutex that threads are waiting for")
                                             : misuse("destroyed a mutex that is still locked");
  }
  object.gone = Gone::Destroyed;
  return changed();
}

Effect apply(World& world, TaskId id, Variant variant) {
  const Operation& operation = world.task(id).pending;  // stays as it is until the task asks for something else
  Object& object = world.object(operation.object);
  if (object.is_gone()) return misuse_of_gone(object);
  if (variant == kTimeout) return timed_out();
  if (variant == kSpurious) return unchanged(EBUSY);
  switch (operation.kind) {
    case OperationKind::MutexTryLock:
      return try_take(world, id, operation);
    case OperationKind::MutexUnlock:
      return unlock_mutex(world, id, operation.object);
    case OperationKind::MutexReacquire:
      return reacquire(world, id, operation);
    case OperationKind::MutexDestroy:
      return destroy(world, object);
    default:
      return take(world, id, operation);
  }
}

bool may_be_spurious(const Task& task) { return task.pending.kind == OperationKind::MutexTryLock; }

void let_go(World& world, MutexState& mutex) {
  HEDDLE_ASSERT(mutex.owner != kNoTask, "only a mutex that is held is released");
  if (mutex.robust) --world.task(mutex.owner).robust_held;
  unlock_at_once(mutex);
}

}  // namespace

const ObjectModel kMutexModel = {enabled, one_variant, apply, may_be_spurious};

Effect unlock_mutex(World& world, TaskId id, ObjectId object) {
  MutexState& mutex = world.object(object).mutex;
  if (mutex.owner != id) {
    if (mutex.type != MutexType::Normal || mutex.robust) return unchanged(EPERM);
    return mutex.owner == kNoTask ? misuse("unlocked a mutex that nobody holds")
                                  : misuse("unlocked a mutex that another thread holds");
  }
  if (mutex.depth > 1) {
    --mutex.depth;
    return changed();
  }
  let_go(world, mutex);
  if (mutex.inconsistent) {
    mutex.inconsistent = false;
    mutex.not_recoverable = true;
  }
  return released();
}

void abandon_robust_mutexes(World& world, TaskId id) {
  const Task& task = world.task(id);
  for (ObjectId object = 1; task.robust_held != 0 && object <= world.population().object_count(); ++object) {
    if (world.object(object).kind != ObjectKind::Mutex) continue;
    MutexState& mutex = world.object(object).mutex;
    if (mutex.owner != id || !mutex.robust) continue;
    let_go(world, mutex);
    mutex.inconsistent = false;
    mutex.owner_died = true;
    world.reevaluate_object(object);
  }
}

int mutex_consistent(World& world, TaskId id, ObjectId object) {
  MutexState& mutex = world.object(object).mutex;
  if (!mutex.robust || !mutex.inconsistent) return EINVAL;
  if (mutex.owner != id) return EPERM;
  mutex.inconsistent = false;
  return 0;
}

}  // namespace heddle::model
