// Operations without an object: giving way, sleeping, starting processes and the end of the own one.
#include "model/object_model.h"

namespace heddle::model {
namespace {

bool enabled(const World& world, const Task& task) {
  switch (task.pending.kind) {
    case OperationKind::Sleep:
      return world.now() >= task.pending.deadline;
    case OperationKind::ProcessWait:
      return task.pending.argument != kNotReady;
    default:
      return true;
  }
}

// A sleep always ends because its time is over: a switch away from the task then costs nothing.
Effect apply(World& world, TaskId id, Variant) {
  switch (world.task(id).pending.kind) {
    case OperationKind::Sleep:
      return {.wrote = false, .timed_out = true};
    case OperationKind::ProcessExit:
    case OperationKind::ProcessFork:
    case OperationKind::ProcessStart:
    case OperationKind::ProcessWait:
      return changed();
    default:
      return unchanged();
  }
}

}  // namespace

const ObjectModel kPlainModel = {enabled, one_variant, apply, never_spurious};

}  // namespace heddle::model
