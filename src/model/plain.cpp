// Operations without an object: giving way, sleeping, starting processes and the end of the own one.
#include "model/object_model.h"
#include "model/spinning.h"

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
std::uint16_t variants(const World&, const Task& task) {
  return task.pending.kind == OperationKind::Choose ? static_cast<std::uint16_t>(task.pending.argument) : 1;
}

Effect apply(World& world, TaskId id, Variant variant) {
  switch (world.task(id).pending.kind) {
    case OperationKind::Choose:
      return unchanged(variant);
    case OperationKind::Sleep:
      return {.wrote = false, .timed_out = true};
    case OperationKind::ProcessExit:
    case OperationKind::ProcessFork:
    case OperationKind::ProcessStart:
    case OperationKind::ProcessWait:
      return changed();
    case OperationKind::Yield:
      yield_keeps_history(world, id);
      return unchanged(static_cast<std::int32_t>(world.task(id).pending.argument));
    default:
      return unchanged();
  }
}

}  // namespace

const ObjectModel kPlainModel = {enabled, variants, apply, never_spurious};

}  // namespace heddle::model
