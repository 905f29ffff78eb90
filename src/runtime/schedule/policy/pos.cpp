// Partial order sampling: each event that is about to happen has a random priority, and the one with the highest
// happens. What races with it gets a new priority then. So the orders of racing events are drawn independently of each
// other, and of how many events lie in between.
//
// Source: Yuan, Yang, Gu, Partial Order Aware Concurrency Sampling, CAV 2018, algorithm 2 (POS). Where we deviate: two
// events race if they name the same object; whether one of them only reads it is not asked.
#include "protocol/mix.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/schedule/policy/walk.h"

namespace heddle::runtime {
namespace {

// Of a task's pending operation, valid if `execution` is the present one.
struct Drawn {
  std::uint32_t execution;
  std::uint32_t priority;
};

struct PermanentPos {
  std::uint32_t execution = 0;  // counts them, so that nothing need be cleared
  Drawn all[model::kMaxTasks] = {};
};
HEDDLE_PERMANENT constinit PermanentPos permanent_pos{};

void start() {
  start_walk(policy_items<PolicyKind::Pos>() != 0 ? policy_item<PolicyKind::Pos>(0) : Walk());
  ++permanent_pos.execution;
}

bool names(const model::Operation& operation, ObjectId object) {
  return object != kNoObject && (operation.object == object || operation.object2 == object);
}

std::uint32_t priority_of(TaskId task) {
  Drawn& drawn = permanent_pos.all[task];
  if (drawn.execution != permanent_pos.execution)
    drawn = {permanent_pos.execution, static_cast<std::uint32_t>(draw_bits() >> 32)};
  return drawn.priority;
}

TaskId next(const model::World& world, const model::Decision& decision) {
  return highest_eligible(world, decision.last, priority_of);
}

bool pick_pos(const model::World& world, const model::Decision& decision, Choice& choice) {
  choice = pick_by(next, world, decision);
  // Its task, and all that race with it, draw anew.
  const model::Operation& made = world.task(choice.task).pending;
  for (std::uint32_t task = 0; task < world.population().task_count(); ++task) {
    const model::Operation& other = world.task(static_cast<TaskId>(task)).pending;
    if (task == choice.task || names(other, made.object) || names(other, made.object2))
      permanent_pos.all[task].execution = 0;
  }
  return true;
}

}  // namespace

extern const Policy kPosPolicy = {.start = start, .pick = pick_pos};

}  // namespace heddle::runtime
