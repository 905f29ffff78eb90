// The policy of partial-order reduction: the default among the choices that don't sleep (model/sleep_set.h). The
// sleepers stand behind the deltas of the plan.
#include "model/sleep_set.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

// Begun anew with each execution, and no page of the program's: snapshots need not put it back.
HEDDLE_PERMANENT model::SleepSet sleep_set;
HEDDLE_PERMANENT std::uint32_t sleeps_from = 0;  // the step at which the sleepers fall asleep; none: the greatest
HEDDLE_PERMANENT std::uint32_t free_from = 0;    // behind the last planned step

void fall_asleep(const model::World& world) {
  for (std::uint32_t i = planned_deltas(); i-- > 0;) {
    const Delta delta = planned_delta(i);
    if ((delta.step & kSleeper) == 0) return;
    sleep_set.add(world, {delta.choice, (delta.step & kSleeperWrote) != 0});
  }
}

}  // namespace

void start_awake() {
  sleep_set.clear();
  sleeps_from = UINT32_MAX;
  free_from = 0;
  for (std::uint32_t i = planned_deltas(); i-- > 0;) {
    const Delta delta = planned_delta(i);
    if ((delta.step & kSleeper) == 0) {
      free_from = delta.step + 1;
      return;
    }
    sleeps_from = delta.step & kSleeperStep;
  }
}

void before_step_awake(const model::World& world) {
  if (world.steps() != sleeps_from) return;
  fall_asleep(world);
  sleeps_from = UINT32_MAX;
  look_ahead();
}

std::uint32_t awake_default_until() { return sleeps_from; }

// Behind a sleep or a timeout it is the turn of another.
bool awake_allows_default(const model::World& world, TaskId task) {
  return !world.task(task).gave_way && (sleep_set.empty() || !sleep_set.asleep({task, 0}));
}

bool pick_awake(const model::World& world, const model::Decision& decision, Choice& choice) {
  if (world.steps() >= free_from) return model::choose_awake(world, decision, sleep_set, choice);
  choice = decision.choice;
  return true;
}

bool awake_wants_steps() { return !sleep_set.empty(); }  // else there is nobody to wake

void after_step_awake(TaskId task, const Access& access) { sleep_set.on_step(task, access); }

}  // namespace heddle::runtime
