// The table of the objects' models, by kind of operation. See object_model.h.
#include "model/object_model.h"

namespace heddle::model {
namespace {

constexpr const ObjectModel* model_for(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::Thread:
      return &kThreadModel;
    case ObjectKind::Mutex:
      return &kMutexModel;
    case ObjectKind::Condition:
      return &kConditionModel;
    case ObjectKind::RwLock:
      return &kRwLockModel;
    case ObjectKind::Semaphore:
      return &kSemaphoreModel;
    case ObjectKind::Barrier:
      return &kBarrierModel;
    case ObjectKind::SpinLock:
      return &kSpinLockModel;
    case ObjectKind::Once:
      return &kOnceModel;
    case ObjectKind::Futex:
      return &kFutexModel;
    case ObjectKind::Descriptor:
      return &kDescriptorModel;
    case ObjectKind::Memory:
      return &kMemoryModel;
    case ObjectKind::None:
      break;
  }
  return &kPlainModel;
}

// By kind of operation.
constexpr const ObjectModel* kModels[] = {
    &kPlainModel,
#define HEDDLE_OPERATION(name, text, object, traits) model_for(ObjectKind::object),
#include "protocol/operations.def"
#undef HEDDLE_OPERATION
};

// What pthreads does not allow with an object that is gone.
const char* use_of(bool freed, const char* when_destroyed, const char* when_freed) {
  return freed ? when_freed : when_destroyed;
}

}  // namespace

Effect misuse_of_gone(const Object& object) {
  const bool freed = object.gone == Gone::Freed;
  switch (object.kind) {
    case ObjectKind::Mutex:
      return misuse(use_of(freed, "used a mutex after it was destroyed", "used a mutex after its memory was freed"));
    case ObjectKind::Condition:
      return misuse(use_of(freed, "used a condition variable after it was destroyed",
                           "used a condition variable after its memory was freed"));
    case ObjectKind::RwLock:
      return misuse(use_of(freed, "used a reader-writer lock after it was destroyed",
                           "used a reader-writer lock after its memory was freed"));
    case ObjectKind::Semaphore:
      return misuse(
          use_of(freed, "used a semaphore after it was destroyed", "used a semaphore after its memory was freed"));
    case ObjectKind::Barrier:
      return misuse(
          use_of(freed, "used a barrier after it was destroyed", "used a barrier after its memory was freed"));
    default:
      return misuse(
          use_of(freed, "used a spin lock after it was destroyed", "used a spin lock after its memory was freed"));
  }
}

const ObjectModel& model_of(OperationKind kind) { return *kModels[static_cast<unsigned>(kind)]; }

// Mutexes are what most programs use most: their functions are called directly, so that they can become part of the
// caller.
bool is_enabled(const World& world, const Task& task) {
  const ObjectModel& model = model_of(task.pending.kind);
  return &model == &kMutexModel ? kMutexModel.enabled(world, task) : model.enabled(world, task);
}

std::uint16_t variants_of(const World& world, const Task& task) {
  const ObjectModel& model = model_of(task.pending.kind);
  if (model.variants == one_variant) return 1;
  if (&model == &kThreadModel && task.pending.kind != OperationKind::SignalSend) return 1;
  return model.variants(world, task);
}

Effect apply_operation(World& world, TaskId id, Variant variant) {
  const ObjectModel& model = model_of(world.task(id).pending.kind);
  return &model == &kMutexModel ? kMutexModel.apply(world, id, variant) : model.apply(world, id, variant);
}

}  // namespace heddle::model
