// What the walks share: policies that draw their choices (random, pct, pos, surw, delays).
//
// Their state lasts for one execution and is begun anew by start_walk(). No level is ever taken under such a policy, so
// none of it has to be restored.
#pragma once

#include <cstdint>

#include "model/world.h"
#include "protocol/policies.h"

namespace heddle::runtime {

// At the beginning of an execution.
void start_walk(const Walk& walk);

// 64 random bits of this execution's own.
std::uint64_t draw_bits();
// From 0 to limit - 1; `limit` is at least 1.
std::uint64_t draw_below(std::uint64_t limit);

// Must the task that ran last go on, whatever the walk would draw? Since it creates the first threads (Walk::burst), or
// is in a region in which it is not to be preempted.
bool must_stay(const model::World& world, const model::Decision& decision);

// Draws whether a wait ends early here, by a timeout or spuriously, and which one. Such a choice has a sixteenth of an
// ordinary one's weight: with the full weight every watchdog would fire in every run. Executions differ in how often
// they look for one at all, and in how long a wait may be that ends early.
bool draw_early_end(const model::World& world, const model::Decision& decision, Choice& choice);

// The choice with one of the alternatives of its operation: which waiter is woken, or that its task stops behind it.
Choice draw_variant(const model::World& world, Choice choice);

// Calls visit(task) for each task that may go on.
template <typename Visit>
void for_each_eligible(const model::World& world, Visit visit) {
  world.schedule().for_each_eligible(visit);
}

// The task with the highest priority(task) of those that may go on; of equal ones the first. `otherwise`: there is
// none.
template <typename Priority>
TaskId highest_eligible(const model::World& world, TaskId otherwise, Priority priority) {
  TaskId best = otherwise;
  std::uint64_t most = 0;
  bool any = false;
  for_each_eligible(world, [&](TaskId task) {
    const std::uint64_t own = priority(task);
    if (any && own <= most) return;
    any = true;
    best = task;
    most = own;
  });
  return best;
}

// A walk's own part of a policy's pick(): which of the eligible tasks is next. Called where there is one at least.
using NextTask = TaskId (*)(const model::World& world, const model::Decision& decision);
// The whole of pick() for such a walk.
Choice pick_by(NextTask next, const model::World& world, const model::Decision& decision);

}  // namespace heddle::runtime
