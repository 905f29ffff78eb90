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

struct ExecutionPolicy {
  PolicyKind kind = PolicyKind::Default;
  const Policy* functions = &kDefaultPolicy;
};
constinit ExecutionPolicy execution_policy{};

}  // namespace

void start_policy(const PlanHeader& plan) {
  execution_policy.kind =
      plan.policy < PolicyKind::Count ? plan.policy : PolicyKind::Default;  // the program can write there
  execution_policy.functions = kPolicies[static_cast<unsigned>(execution_policy.kind)];
  if (execution_policy.functions->start != nullptr) execution_policy.functions->start();
  if (follows_steps())
    start_naming_places();
  else
    stop_naming_places();
}

bool follows_default() { return has_trait(execution_policy.kind, PolicyTrait::Determined); }
bool follows_steps() { return has_trait(execution_policy.kind, PolicyTrait::Steps); }

std::uint32_t default_until() {
  if (execution_policy.functions->default_until != nullptr) return execution_policy.functions->default_until();
  return follows_default() ? UINT32_MAX : 0;
}

bool allows_default(const model::World& world, TaskId task) {
  return execution_policy.functions->allows_default == nullptr ||
         execution_policy.functions->allows_default(world, task);
}

bool wants_steps() {
  return execution_policy.functions->wants_steps != nullptr && execution_policy.functions->wants_steps();
}

void before_step(const model::World& world) {
  if (execution_policy.functions->before_step != nullptr) execution_policy.functions->before_step(world);
}

void after_step(TaskId task, const Access& access) { execution_policy.functions->after_step(task, access); }

bool pick(const model::World& world, const model::Decision& decision, Choice& choice) {
  if (execution_policy.functions->pick != nullptr) return execution_policy.functions->pick(world, decision, choice);
  choice = decision.choice;
  return true;
}

}  // namespace heddle::runtime
