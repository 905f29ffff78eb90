// pthread_once, std::call_once and the guards of function-local statics. OnceBegin gives 1 to the task that is to run
// the initializer and 0 to those that find it done; the others wait. An initializer that throws (OnceAbort) leaves the
// work to the next task. One that calls itself again waits for itself: a deadlock.
#include "model/once.h"

#include "model/object_model.h"

namespace heddle::model {
namespace {

constexpr std::int32_t kAlreadyDone = 0;
constexpr std::int32_t kRunIt = 1;

bool enabled(const World& world, const Task& task) {
  const OnceState& once = target(world, task).once;
  return task.pending.kind != OperationKind::OnceBegin || once.done || once.runner == kNoTask;
}

std::uint64_t bit_of(TaskId id) { return id < 64 ? std::uint64_t{1} << id : 0; }

Effect begin(OnceState& once, TaskId id, Site site) {
  if (once.done) {
    once.known_to |= bit_of(id);
    return unchanged(kAlreadyDone);
  }
  once.runner = id;
  once.taken_at = site;
  return changed(kRunIt);
}

Effect finish(OnceState& once, TaskId id, bool done) {
  if (once.runner != id) return misuse("ended a one-time initialization that it did not begin");
  once.runner = kNoTask;
  once.taken_at = 0;
  once.done = done;
  if (done) once.known_to |= bit_of(id);
  return released();
}

Effect apply(World& world, TaskId id, Variant) {
  const Operation& operation = world.task(id).pending;
  OnceState& once = world.object(operation.object).once;
  if (operation.kind == OperationKind::OnceBegin) return begin(once, id, operation.site);
  return finish(once, id, operation.kind == OperationKind::OnceEnd);
}

}  // namespace

bool knows_done(const World& world, ObjectId once, TaskId id) {
  return (world.object(once).once.known_to & bit_of(id)) != 0;
}

bool is_done(const World& world, ObjectId once) { return world.object(once).once.done; }

const ObjectModel kOnceModel = {enabled, one_variant, apply, never_spurious};

}  // namespace heddle::model
