// Operations without an object: yields, sleeps, starts of processes, and the end of the program's own process.
#include "model/object_model.h"
#include "model/spinning.h"
#include "protocol/time_slice.h"

namespace heddle::model {
namespace {

bool enabled(const World& world, const Task& task) {
  switch (task.pending.kind) {
    case OperationKind::Sleep:
      return world.clock().now() >= task.pending.deadline;
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

// Who goes on here was inside its call before, and in a queue of the object.
bool goes_on_inside(OperationKind kind) {
  return kind == OperationKind::ConditionWake || kind == OperationKind::ConditionRejoin ||
         kind == OperationKind::MutexReacquire || kind == OperationKind::BarrierLeave ||
         kind == OperationKind::BarrierRejoin;
}

// Who is about to use what was there finds the new object. Who waits for it does not (a futex that nobody wakes); the
// result says that there are such: had they not come to their call yet, they would have found it.
Effect initialize(World& world, TaskId id) {
  const Operation initialize = world.task(id).pending;
  bool waited_for = false;
  for (TaskId user = world.object(initialize.object).pending_first, next; user != kNoTask; user = next) {
    next = world.task(user).pending_next;
    if (user == id) continue;
    if (!is_enabled(world, world.task(user)) || goes_on_inside(world.task(user).pending.kind)) {
      waited_for = true;
      continue;
    }
    Operation operation = world.task(user).pending;
    operation.object = initialize.object2;
    world.set_pending(user, operation);
  }
  return changed(waited_for ? 1 : 0);
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
    case OperationKind::KeyDelete:
      return changed();
    case OperationKind::Initialize:
      return initialize(world, id);
    case OperationKind::ObjectFree:
      world.object(world.task(id).pending.object).gone = Gone::Freed;
      return changed();
    case OperationKind::ThreadInvalid:
      return misuse("used a pthread_t that belongs to no thread");
    case OperationKind::ClockRead:
      if (variant != kTimeout) clock_read_keeps_history(world, id);
      return unchanged(variant == kTimeout ? 1 : 0);
    case OperationKind::Yield:
      if (world.task(id).pending.argument != kStoppedBehind) yield_keeps_history(world, id);
      return unchanged(static_cast<std::int32_t>(world.task(id).pending.argument));
    default:
      return unchanged();
  }
}

}  // namespace

const ObjectModel kPlainModel = {enabled, variants, apply, never_spurious};

}  // namespace heddle::model
