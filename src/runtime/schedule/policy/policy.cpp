// See policy.h. The default policy is the model's own default choice.
#include "runtime/schedule/policy/policy.h"

#include "runtime/state/places.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

PolicyKind kind = PolicyKind::Default;

}  // namespace

void start_policy(const PlanHeader& plan) {
  kind = plan.policy;
  if (kind == PolicyKind::Random) start_random(plan.seed);
  if (kind == PolicyKind::Awake) {
    start_awake();
    start_naming_places();
  } else {
    stop_naming_places();
  }
}

bool follows_default() { return kind == PolicyKind::Default; }
bool follows_steps() { return kind == PolicyKind::Awake; }

std::uint32_t default_until() {
  if (kind == PolicyKind::Awake) return awake_default_until();
  return kind == PolicyKind::Default ? UINT32_MAX : 0;
}

bool allows_default(const model::World& world, TaskId task) {
  return kind != PolicyKind::Awake || awake_allows_default(world, task);
}

bool wants_steps() { return kind == PolicyKind::Awake && awake_wants_steps(); }

void before_step(const model::World& world) {
  if (kind == PolicyKind::Awake) before_step_awake(world);
}

void after_step(TaskId task, const Access& access) { after_step_awake(task, access); }

bool pick(const model::World& world, const model::Decision& decision, Choice& choice) {
  choice = decision.choice;
  if (kind == PolicyKind::Awake) return pick_awake(world, decision, choice);
  if (kind == PolicyKind::Random) choice = pick_random(world, decision);
  return true;
}

}  // namespace heddle::runtime
