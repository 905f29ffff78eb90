// See services.h.
#include "model/services.h"

#include "model/holder.h"

namespace heddle::model {

bool goes_round(const World& world, TaskId id, std::uint32_t since) {
  return !world.task(id).ended && world.schedule().fairness().last_step_of(id) > since;
}

namespace {

// A chain of holders that is longer than there are tasks goes in a ring.
bool waits_for_one_that_goes_round(const World& world, TaskId id, std::uint32_t since) {
  for (std::uint32_t length = 0; length < world.population().task_count(); ++length) {
    id = holder(world, world.task(id).pending.object, nullptr);
    if (id == kNoTask) return false;
    if (goes_round(world, id, since)) return true;
  }
  return false;
}

}  // namespace

bool somebody_is_stuck(const World& world, std::uint32_t since) {
  for (std::uint32_t i = 0; i < world.population().task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    const Task& task = world.task(id);
    if (task.ended || task.timer || !task.published || goes_round(world, id, since)) continue;
    if (!waits_for_one_that_goes_round(world, id, since)) return true;
  }
  return false;
}

namespace {

// Steps of services. Some let others go on only after many rounds: the ticks of an operating system, by which its
// timers expire.
constexpr std::uint32_t kLong = 4096;

}  // namespace

std::uint32_t only_services_since(const World& world) {
  const Population& population = world.population();
  std::uint32_t since = 1, services = 0, enough = kLong;
  const auto is_service = [&](const Task& task) {
    return !task.ended && task.published && population.spin_places().is_service(task);
  };
  for (std::uint32_t i = 0; i < population.task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    const Task& task = world.task(id);
    if (is_service(task)) {
      ++services;
      if (!population.spin_places().is_declared(task)) enough = kSeenServiceSteps;
      continue;
    }
    if (!task.ended && task.pending.deadline != kNoDeadline) return 0;
    const std::uint32_t last = world.schedule().fairness().last_step_of(id);
    if (last > since) since = last;
  }
  if (services == 0 || world.schedule().steps().count() < since + enough) return 0;
  for (std::uint32_t i = 0; i < population.task_count(); ++i)
    if (const auto id = static_cast<TaskId>(i); is_service(world.task(id)) && !goes_round(world, id, since)) return 0;
  return somebody_is_stuck(world, since) ? since : 0;
}

}  // namespace heddle::model
