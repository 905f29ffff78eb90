// The policy of partial-order reduction: the default among the choices that don't sleep (model/sleep_set.h). The plan
// names the sleepers.
#include "model/sleep_set.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

// Begun anew with each execution, and no page of the program's: snapshots need not put it back.
struct PermanentSleep {
  model::SleepSet set;
  std::uint32_t from = 0;       // the step at which the sleepers fall asleep; none: the greatest
  std::uint32_t free_from = 0;  // behind the last planned step
};
HEDDLE_PERMANENT constinit PermanentSleep permanent_sleep{};

void start() {
  permanent_sleep.set.clear();
  const std::uint32_t deltas = planned_deltas();
  permanent_sleep.free_from = deltas != 0 ? planned_delta(deltas - 1).step + 1 : 0;
  permanent_sleep.from = policy_items<PolicyKind::Awake>() != 0 ? policy_item<PolicyKind::Awake>(0).step : UINT32_MAX;
}

void before_step_awake(const model::World& world) {
  if (world.schedule().steps().count() != permanent_sleep.from) return;
  for (std::uint32_t i = policy_items<PolicyKind::Awake>(); i-- > 0;)
    permanent_sleep.set.add(world, policy_item<PolicyKind::Awake>(i));
  permanent_sleep.from = UINT32_MAX;
  look_ahead();
}

std::uint32_t default_until_awake() { return permanent_sleep.from; }

// Behind a sleep or a timeout it is the turn of another.
bool allows_default_awake(const model::World& world, TaskId task) {
  return !world.task(task).yielded && (permanent_sleep.set.empty() || !permanent_sleep.set.asleep({task, 0}));
}

bool pick_awake(const model::World& world, const model::Decision& decision, Choice& choice) {
  if (world.schedule().steps().count() >= permanent_sleep.free_from)
    return model::choose_awake(world, decision, permanent_sleep.set, choice);
  choice = decision.choice;
  return true;
}

bool wants_steps_awake() { return !permanent_sleep.set.empty(); }  // else there is nobody to wake

void after_step_awake(TaskId task, const Access& access) { permanent_sleep.set.on_step(task, access); }

}  // namespace

extern const Policy kAwakePolicy = {.start = start,
                                    .pick = pick_awake,
                                    .default_until = default_until_awake,
                                    .allows_default = allows_default_awake,
                                    .before_step = before_step_awake,
                                    .wants_steps = wants_steps_awake,
                                    .after_step = after_step_awake};

}  // namespace heddle::runtime
