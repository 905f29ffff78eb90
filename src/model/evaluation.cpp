// See evaluation.h.
#include "model/evaluation.h"

#include "model/interrupts.h"
#include "model/object_model.h"

namespace heddle::model {
namespace {

bool is_in_turn(const World& world, const Operation& operation) {
  if (world.schedule().limits().timeouts != Timeouts::Ordered) return true;
  return operation.deadline - kSameDeadline < world.clock().earliest_deadline(world.population());
}

// Before its time, which others may be ahead of.
bool may_time_out(const World& world, const Operation& operation) {
  const Clock& clock = world.clock();
  const Schedule& schedule = world.schedule();
  if (operation.deadline == kNoDeadline) return false;
  if (!operation.patient)
    return (schedule.limits().early_timeouts() || schedule.only_timeouts()) && is_in_turn(world, operation) &&
           !clock.is_behind_timer(world.population(), operation);
  if (!operation.one_shot || !schedule.only_timeouts()) return false;
  const TaskId first = clock.earliest(world.population());
  return first != kNoTask && world.task(first).pending.deadline == operation.deadline;
}

// The state of a task that has not ended.
std::uint8_t evaluate(const World& world, const Task& task, TaskId id) {
  const Schedule& schedule = world.schedule();
  const bool held_back = schedule.is_held_back(id);
  const std::uint8_t go = TaskState::Enabled | (held_back ? 0 : TaskState::Eligible);
  if (!task.published) return go;  // it runs, or is about to publish
  const bool interrupted = is_interrupted(world, task);
  std::uint8_t state = 0;
  const bool ticks = world.population().spin_places().ticks(task);
  const bool is_open = is_enabled(world, task) && !(ticks && task.pending.kind == OperationKind::Sleep);
  if (interrupted || is_open || (task.pending.deadline <= world.clock().now() && !ticks)) {
    state = go;
    // It goes on, or time passes first.
    const bool may_be_slow = task.pending.kind == OperationKind::ClockRead && !interrupted && !held_back &&
                             task.pending.deadline > world.clock().now();
    if (may_be_slow && may_time_out(world, task.pending)) state |= TaskState::Timeout;
  } else if (!held_back && (may_time_out(world, task.pending) || task.pending.deadline <= world.clock().now())) {
    state = TaskState::Timeout;
    // Of several that tick one is next. Where each of them could be, for free, they would fill the search.
    if (schedule.only_timeouts() && task.pending.deadline == world.clock().earliest_deadline(world.population()) &&
        (!ticks || world.clock().earliest(world.population()) == id))
      state |= TaskState::Earliest;
  }
  if (interrupted) return state;
  const bool may_be_spurious = schedule.steps().spurious() < schedule.limits().spurious_wakeups && !held_back &&
                               model_of(task.pending.kind).may_be_spurious(task);
  return may_be_spurious ? static_cast<std::uint8_t>(state | TaskState::Spurious) : state;
}

void reevaluate_any(World& world, Task& task, TaskId id) {
  if (task.ended && (task.state & TaskState::Ended) == 0) world.population().on_ended(task);
  world.schedule().set_state(task, id, task.ended ? std::uint8_t{TaskState::Ended} : evaluate(world, task, id));
}

}  // namespace

void reevaluate(World& world, Task& task, TaskId id) {
  const bool plain = world.schedule().is_calm() && task.interrupts == 0 && task.pending.deadline == kNoDeadline;
  if (__builtin_expect(!plain || task.ended, 0)) return reevaluate_any(world, task, id);
  const bool able = !task.published || is_enabled(world, task);
  if (task.state != (able ? kGo : std::uint8_t{0})) world.schedule().set_able(task, id, able);
}

[[gnu::noinline]] void reevaluate_pending(World& world, const Object& object) {
  for (TaskId id = object.pending_first; id != kNoTask;) {
    Task& task = world.task(id);
    reevaluate(world, task, id);
    id = task.pending_next;
  }
}

void reevaluate_timed(World& world) {
  for (TaskId id = world.clock().first(); id != kNoTask; id = world.task(id).timed_next) world.reevaluate(id);
}

void reevaluate_all(World& world) {
  for (std::uint32_t id = 0; id < world.population().task_count(); ++id) world.reevaluate(static_cast<TaskId>(id));
}

[[gnu::noinline]] void settle(World& world) {
  Schedule& schedule = world.schedule();
  if (schedule.update_only_timeouts()) reevaluate_timed(world);
  if (schedule.update_edges()) reevaluate_all(world);
  schedule.update_calm();
}

void World::reevaluate(TaskId id) { model::reevaluate(*this, task(id), id); }

void World::reevaluate_object(ObjectId id) {
  const Object& object = population_.object(id);
  if (object.pending_first == kNoTask || object.kind == ObjectKind::Memory) return;  // see reevaluate_spinning()
  reevaluate_pending(*this, object);
}

}  // namespace heddle::model
