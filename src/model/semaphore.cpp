// Unnamed semaphores. A result is an errno value (for SemaphoreGetValue, the semaphore's value); the interceptor sets
// errno.
#include "model/object_model.h"

namespace heddle::model {
namespace {

constexpr std::uint32_t kMaxValue = INT32_MAX;  // SEM_VALUE_MAX

bool enabled(const World& world, const Task& task) {
  if (task.pending.kind != OperationKind::SemaphoreWait) return true;
  const Object& object = target(world, task);
  return object.is_gone() || object.semaphore.value != 0;
}

Effect take(SemaphoreState& semaphore) {
  if (semaphore.value == 0) return unchanged(EAGAIN);
  --semaphore.value;
  return changed();
}

Effect post(SemaphoreState& semaphore) {
  if (semaphore.value == kMaxValue) return unchanged(EOVERFLOW);
  ++semaphore.value;
  return released();
}

Effect destroy(const World& world, Object& object) {
  if (object.semaphore.value == 0 && any_pending(world, object, OperationKind::SemaphoreWait))
    return misuse("destroyed a semaphore that threads wait on");
  object.gone = Gone::Destroyed;
  return changed();
}

Effect apply(World& world, TaskId id, Variant variant) {
  const Operation& operation = world.task(id).pending;
  Object& object = world.object(operation.object);
  if (object.is_gone()) return misuse_of_gone(object);
  if (variant == kTimeout) return timed_out();
  switch (operation.kind) {
    case OperationKind::SemaphorePost:
      return post(object.semaphore);
    case OperationKind::SemaphoreGetValue:
      return unchanged(static_cast<std::int32_t>(object.semaphore.value));
    case OperationKind::SemaphoreName:
      return released();
    case OperationKind::SemaphoreDestroy:
      return destroy(world, object);
    default:
      return take(object.semaphore);
  }
}

}  // namespace

const ObjectModel kSemaphoreModel = {enabled, one_variant, apply, never_spurious};

}  // namespace heddle::model
