// See policy.h. The default policy is the model's own default choice.
#include "runtime/policy/policy.h"

namespace heddle::runtime {
namespace {

PolicyKind kind = PolicyKind::Default;

}  // namespace

void start_policy(const PlanHeader& plan) {
  kind = plan.policy;
  if (kind == PolicyKind::Random) start_random(plan.seed);
}

bool follows_default() { return kind == PolicyKind::Default; }

Choice pick(const model::World& world, const model::Decision& decision) {
  switch (kind) {
    case PolicyKind::Random:
      return pick_random(world, decision);
    case PolicyKind::Default:
      break;
  }
  return decision.choice;
}

}  // namespace heddle::runtime
