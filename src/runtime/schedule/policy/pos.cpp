// Partial order sampling: each event that is about to happen has a random priority, and the one with the highest
// happens. What races with it gets a new priority then. So the orders of racing events are drawn independently of each
// other, and of how many events lie in between.
//
// Source: Yuan, Yang, Gu, Partial Order Aware Concurrency Sampling, CAV 2018, algorithm 2 (POS). Where we deviate: two
// events race if they name the same object; whether one of them only reads it is not asked.
#include "runtime/ring/plan_reader.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/schedule/policy/priorities.h"
#include "runtime/schedule/policy/walk.h"

namespace heddle::runtime {
namespace {

void start() {
  start_walk(policy_items<PolicyKind::Pos>() != 0 ? policy_item<PolicyKind::Pos>(0) : Walk());
  start_priorities();
}

TaskId next(const model::World& world, const model::Decision& decision) {
  return highest_eligible(world, decision.last, priority_of);
}

bool pick_pos(const model::World& world, const model::Decision& decision, Choice& choice) {
  choice = pick_by(next, world, decision);
  redraw_priorities(world, choice.task);
  return true;
}

}  // namespace

extern const Policy kPosPolicy = {.start = start, .pick = pick_pos};

}  // namespace heddle::runtime
