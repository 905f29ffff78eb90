// See priorities.h.
#include "runtime/schedule/policy/priorities.h"

#include "runtime/schedule/policy/walk.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

// Of a task's pending operation, valid if `execution` is the present one.
struct Drawn {
  std::uint32_t execution;
  std::uint32_t priority;
};

struct PermanentPriorities {
  std::uint32_t execution = 0;  // counts them, so that nothing need be cleared
  Drawn all[model::kMaxTasks] = {};
};
HEDDLE_PERMANENT constinit PermanentPriorities permanent_priorities{};

bool names(const model::Operation& operation, ObjectId object) {
  return object != kNoObject && (operation.object == object || operation.object2 == object);
}

}  // namespace

void start_priorities() { ++permanent_priorities.execution; }

std::uint32_t priority_of(TaskId task) {
  Drawn& drawn = permanent_priorities.all[task];
  if (drawn.execution != permanent_priorities.execution)
    drawn = {permanent_priorities.execution, static_cast<std::uint32_t>(draw_bits() >> 32)};
  return drawn.priority;
}

void redraw_priorities(const model::World& world, TaskId task) {
  const model::Operation& made = world.task(task).pending;
  for (std::uint32_t id = 0; id < world.population().task_count(); ++id) {
    const model::Operation& other = world.task(static_cast<TaskId>(id)).pending;
    if (id == task || names(other, made.object) || names(other, made.object2))
      permanent_priorities.all[id].execution = 0;
  }
}

}  // namespace heddle::runtime
