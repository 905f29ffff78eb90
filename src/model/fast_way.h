// The fast way of a step (runtime/schedule/fast_step.h): it makes the same changes as publish_draft(), decide() and
// step() of World. It applies where the default choice is that the task that ran last goes on with its operation.
//
// For an operation that has been drafted: ask goes_at_once(), then call Steps::add() and step_at_once(). The commonest
// operations are not even drafted: ask goes_on_at_once(), and make sure that the operation itself can take effect; then
// call Steps::add(), let it take effect, and call end_step_at_once().
#pragma once

#include "model/world.h"

namespace heddle::model {

inline bool goes_on_at_once(const World& world, const Task& task, TaskId id) {
  const Schedule& schedule = world.schedule();
  return schedule.is_calm() && id == schedule.steps().last_ran() && task.state == kGo && task.interrupts == 0;
}

// Of a step that changes nothing which others may wait for.
[[gnu::always_inline]] inline void end_step_at_once(World& world, Task& task, TaskId id) {
  task.variant = 0;
  // Not written where it is so already: the next step reads it together with its neighbours, and would wait for it.
  if (task.yielded) task.yielded = false;
  world.schedule().on_step(id);
}

// Those that are pending on the object of a step of `id`.
void reevaluate_others(World& world, TaskId id, const Object& object);

[[gnu::always_inline]] inline void end_step_at_once(World& world, Task& task, TaskId id, const Object& object) {
  if (__builtin_expect(object.pending_first != kNoTask, 0) && object.kind != ObjectKind::Memory)
    reevaluate_others(world, id, object);
  end_step_at_once(world, task, id);
}

// Is it the default choice that the drafted operation of `id` takes effect, and can it without a second stage? Not for
// the end of a thread, which may be the end of the process.
bool goes_at_once(const World& world, TaskId id);
// A misuse takes no effect, is not counted, and leaves the operation drafted.
Effect step_at_once(World& world, TaskId id);

}  // namespace heddle::model
