// What each kind of object defines for the operations on it, and small functions that the objects' files share: the
// usual effects, and which tasks are pending on an object. Also part of libheddle.so: nothing here needs a library.
#pragma once

#include <cerrno>
#include <cstdint>

#include "model/world.h"

namespace heddle::model {

// What each kind of object says of a task's pending operation. Defined in the object's own file.
struct ObjectModel {
  // Can it take effect now? Time-outs are not its business: the evaluation looks at the deadline.
  bool (*enabled)(const World& world, const Task& task);
  // Ordinary alternatives it opens; at least 1.
  std::uint16_t (*variants)(const World& world, const Task& task);
  // Lets it take effect. `variant` is an ordinary alternative, kTimeout (the deadline has been reached; also passed
  // when a task whose deadline is over is scheduled without being enabled otherwise) or kSpurious.
  Effect (*apply)(World& world, TaskId id, Variant variant);
  // May it end spuriously (if the budget allows)?
  bool (*may_be_spurious)(const Task& task);
  // Takes a task whose wait is interrupted out of the object's queues; `pending` may become what is to be published
  // when the handlers have run. May lead to a second stage (`completes` false). Null: there is nothing to do.
  Effect (*interrupt)(World& world, TaskId id, Interruption how) = nullptr;
};

extern const ObjectModel kThreadModel, kMutexModel, kConditionModel, kRwLockModel, kSemaphoreModel, kBarrierModel,
    kSpinLockModel, kOnceModel, kFutexModel, kDescriptorModel, kMemoryModel,
    kPlainModel;  // kPlainModel: operations without an object

const ObjectModel& model_of(OperationKind kind);
// Can the pending operation of `task` take effect?
bool is_enabled(const World& world, const Task& task);
// The ordinary alternatives that it opens, whether it is published or only drafted.
std::uint16_t variants_of(const World& world, const Task& task);
// Lets that of `id` take effect.
Effect apply_operation(World& world, TaskId id, Variant variant);

// The operation took effect and changed the object.
inline Effect changed(std::int32_t result = 0) { return {.result = result}; }

// It took effect, and what comes after it on the object happens after this step.
inline Effect released(std::int32_t result = 0) { return {.result = result, .released = true}; }

// It only looked: an error, or an answer, and the object is as before.
inline Effect unchanged(std::int32_t result = 0) { return {.result = result, .wrote = false}; }

inline Effect timed_out() { return {.result = ETIMEDOUT, .wrote = false, .timed_out = true}; }

// pthreads does not allow it. Must be found before anything is changed.
inline Effect misuse(const char* sentence) { return {.wrote = false, .misuse = sentence}; }

// The object is gone.
Effect misuse_of_gone(const Object& object);

inline std::uint16_t one_variant(const World&, const Task&) { return 1; }
inline bool never_spurious(const Task&) { return false; }

// A table of tasks is in pieces: the place of one says nothing.
inline TaskId id_of(const World& world, const Task& task) { return world.object(task.thread).thread.task; }
inline const Object& target(const World& world, const Task& task) { return world.object(task.pending.object); }

// Whether a task is pending on `object` with an operation for which matches() says yes.
template <typename Matches>
bool any_pending(const World& world, const Object& object, Matches matches) {
  for (TaskId id = object.pending_first; id != kNoTask; id = world.task(id).pending_next)
    if (matches(world.task(id).pending)) return true;
  return false;
}

inline bool any_pending(const World& world, const Object& object, OperationKind kind) {
  return any_pending(world, object, [kind](const Operation& operation) { return operation.kind == kind; });
}

}  // namespace heddle::model
