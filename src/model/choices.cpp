// See choices.h.
#include "model/choices.h"

#include "model/interrupts.h"
#include "model/object_model.h"

namespace heddle::model {

namespace {

bool may_stop(const World& world, const Task& task) {
  return task.published && is_release(task.pending.kind) && !is_interrupted(world, task);
}

}  // namespace

bool allowed(const World& world, Choice choice) {
  if (choice.task >= world.population().task_count()) return false;
  const std::uint8_t state = world.task(choice.task).state;
  if (choice.variant == kTimeout) return (state & TaskState::Timeout) != 0;
  if (choice.variant == kSpurious) return (state & TaskState::Spurious) != 0;
  if ((state & TaskState::Eligible) == 0) return false;
  if (choice.variant == kStop) return may_stop(world, world.task(choice.task));
  return choice.variant == 0 || choice.variant < variants(world, choice.task);
}

Choice going_on(const World& world, TaskId id) {
  const bool times_out = id < world.population().task_count() &&
                         (world.task(id).state & (TaskState::Timeout | TaskState::Eligible)) == TaskState::Timeout;
  return {id, times_out ? kTimeout : Variant{0}};
}

std::uint32_t cost(const World& world, const Decision& decision, Choice choice) {
  if (choice.variant == kTimeout) {
    const bool free = decision.nothing_enabled && (world.task(choice.task).state & TaskState::Earliest) != 0;
    return free ? 0 : 1;
  }
  const std::uint32_t switches = choice.task != decision.last && decision.switch_costs ? 1 : 0;
  return choice.variant == kStop ? switches + 1 : switches;
}

std::uint16_t variants(const World& world, TaskId id) {
  const Task& task = world.task(id);
  if (is_interrupted(world, task)) return may_end_early(world, task) ? 2 : 1;
  return task.published ? variants_of(world, task) : std::uint16_t{1};
}

}  // namespace heddle::model
