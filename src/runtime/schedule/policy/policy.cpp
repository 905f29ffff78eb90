// See policy.h.
#include "runtime/schedule/policy/policy.h"

#include "runtime/state/places.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

#define HEDDLE_DECLARE(name, word, Item, traits) extern const Policy k##name##Policy;
HEDDLE_POLICIES(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE

// The model's own default choice.
const Policy kDefaultPolicy = {};

namespace {

#define HEDDLE_POINTER(name, word, Item, traits) &k##name##Policy,
constexpr const Policy* kPolicies[] = {HEDDLE_POLICIES(HEDDLE_POINTER)};
#undef HEDDLE_POINTER

PolicyKind kind = PolicyKind::Default;
const Policy* policy = &kDefaultPolicy;

}  // namespace

void start_policy(const PlanHeader& plan) {
  kind = plan.policy < PolicyKind::Count ? plan.policy : PolicyKind::Default;  // the program can write there
  policy = kPolicies[static_cast<unsigned>(kind)];
  if (policy->start != nullptr) policy->start();
  if (follows_steps())
    start_naming_places();
  else
    stop_naming_places();
}

bool follows_default() { return has_trait(kind, PolicyTrait::Determined); }
bool follows_steps() { return has_trait(kind, PolicyTrait::Steps); }

std::uint32_t default_until() {
  if (policy->default_until != nullptr) return policy->default_until();
  return follows_default() ? UINT32_MAX : 0;
}

bool allows_default(const model::World& world, TaskId task) {
  return policy->allows_default == nullptr || policy->allows_default(world, task);
}

bool wants_steps() { return policy->wants_steps != nullptr && policy->wants_steps(); }

void before_step(const model::World& world) {
  if (policy->before_step != nullptr) policy->before_step(world);
}

void after_step(TaskId task, const Access& access) { policy->after_step(task, access); }

bool pick(const model::World& world, const model::Decision& decision, Choice& choice) {
  if (policy->pick != nullptr) return policy->pick(world, decision, choice);
  choice = decision.choice;
  return true;
}

}  // namespace heddle::runtime
