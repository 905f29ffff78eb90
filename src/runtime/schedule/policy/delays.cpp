// Delays at random: the default decides, but at some steps drawn beforehand it passes over whose turn it is, for the
// next task in turn, which then goes on by default.
//
// Source: Emmi, Qadeer, Rakamaric, Delay-bounded scheduling, POPL 2011, section 3, with the random choice of delays
// that PCT has for its changes. Where we deviate: which waiter is woken and early ends of waits are drawn at the delays
// only.
#include "runtime/ring/plan_reader.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/schedule/policy/walk.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kMostDelays = 15;

struct PermanentDelays {
  unsigned count = 0;
  std::uint32_t steps[kMostDelays] = {};
};
HEDDLE_PERMANENT constinit PermanentDelays permanent_delays{};

void start() {
  const DelaysItem item = policy_items<PolicyKind::Delays>() != 0 ? policy_item<PolicyKind::Delays>(0) : DelaysItem();
  start_walk(item.walk);
  permanent_delays.count = item.delays < kMostDelays ? item.delays : kMostDelays;
  for (unsigned i = 0; i < permanent_delays.count; ++i)
    permanent_delays.steps[i] = static_cast<std::uint32_t>(draw_below(item.length > 0 ? item.length : 1));
}

unsigned delays_at(std::uint32_t step) {
  unsigned here = 0;
  for (unsigned i = 0; i < permanent_delays.count; ++i) here += permanent_delays.steps[i] == step ? 1 : 0;
  return here;
}

TaskId next(const model::World& world, const model::Decision& decision) {
  const std::uint32_t tasks = world.population().task_count();
  TaskId task = decision.choice.task;
  for (unsigned left = delays_at(world.schedule().steps().count()); left > 0; --left) {
    do task = static_cast<TaskId>((task + 1u) % tasks);
    while ((world.task(task).state & TaskState::Eligible) == 0);
  }
  return task;
}

bool pick_delays(const model::World& world, const model::Decision& decision, Choice& choice) {
  const bool delayed = delays_at(world.schedule().steps().count()) != 0;
  choice = delayed ? pick_by(next, world, decision) : decision.choice;
  return true;
}

}  // namespace

extern const Policy kDelaysPolicy = {.start = start, .pick = pick_delays};

}  // namespace heddle::runtime
