// See tally.h.
#include "driver/explore/tally.h"

#include <algorithm>

#include "driver/explore/possibilities.h"
#include "driver/explore/spin_loops.h"

namespace heddle {
namespace {

constexpr std::uint64_t kExamined = 7;  // one schedule of so many is asked where it comes from
constexpr std::uint64_t kHopeless = 3;  // so many schedules lost and not one run: no verdict

}  // namespace

void Tally::count(const Execution& execution) {
  ++report_.schedules;
  report_.resumed += execution.resumed_at != 0 ? 1 : 0;
  report_.resumed_from_bookmarks += execution.bookmark != 0 ? 1 : 0;
}

void Tally::measure(const Execution& execution) {
  report_.steps_max = std::max(report_.steps_max, execution.end.steps);
  report_.steps_run += execution.steps.size() - execution.resumed_at;
  report_.tasks_max = std::max<std::uint32_t>(report_.tasks_max, execution.end.tasks);
  report_.step_limit_reached |= execution.end.end == EndKind::StepLimit;
  // What was kept has been looked at; rehearsals and checks that were run between have not.
  const bool follows = execution.resumed_at != 0 || (execution.kept_of == measured_ && measured_ != 0);
  measured_ = execution.plan;
  report_.fairness_held_back |= holds_back(execution);
  report_.timeouts_could_fire |= could_time_out(execution);
  report_.waiters_chosen = report_.waiters_chosen || chooses_a_waiter(execution, follows ? execution.kept_steps : 0);
}

void Tally::add_whole(const ExecutionFinished& event, const std::optional<GraphHash>& known, const StrategyEntry& by) {
  count_end(*event.execution);
  const auto is_stop = [](const Delta& delta) { return delta.choice.variant == kStop; };
  const Plan& plan = event.plan;
  const bool drawn = !has_trait(plan.policy, PolicyTrait::Determined | PolicyTrait::Orders);
  const auto& steps = event.execution->steps;
  // A sample of what the others don't show: how it relates to them is not known.
  if (std::any_of(plan.deltas.begin(), plan.deltas.end(), is_stop) ||
      (drawn && std::any_of(steps.begin(), steps.end(), [](const StepRecord& step) { return stops(step); }))) {
    ++report_.schedules_stopped;
    return;
  }
  auto hash = known;
  if (!hash) hash = happens_before_.hash(*event.execution);
  if (hash && event.execution->end.end != EndKind::Asleep) distinct_.add(*hash);  // else it is not whole
  if (hash && by.independent) draws_[std::string(by.name)].add(*hash);
  count_pct(plan, *event.execution);
  if (report_.schedules % kExamined == 0) switch_places_.add(event.plan, *event.execution);
}

std::optional<NewClassChance> Tally::chance_of_a_new_class() const {
  std::optional<NewClassChance> result;
  for (const auto& [name, draws] : draws_)
    if (const auto chance = draws.of_a_new_one(); chance && (!result || chance->draws > result->chance.draws))
      result = {name, *chance};
  return result;
}

// The theorem is about threads that are all free, and switched before steps. Execution::states_seen is no use here: it
// holds what earlier executions of the process have seen.
void Tally::count_pct(const Plan& plan, const Execution& execution) {
  if (plan.policy != PolicyKind::Pct || policy_items<PolicyKind::Pct>(plan) == 0) return;
  const PctItem item = policy_item<PolicyKind::Pct>(plan, 0);
  if (item.walk.burst > 1 || item.walk.stops_one_in != 0) return;
  pct_.draws.add(item.depth, item.length);
  pct_.steps = std::max(pct_.steps, execution.end.steps);
  constexpr std::uint64_t kHeldBack = states_with(TaskState::Enabled, TaskState::Eligible);
  constexpr std::uint64_t kOther = kHeldBack | states_with(TaskState::Timeout | TaskState::Spurious);
  pct_.other_choices = pct_.other_choices || chooses_a_waiter(execution, 0) ||
                       std::any_of(execution.changes.begin(), execution.changes.end(), [](const StateChange& change) {
                         return (bit_of_state(change.state) & kOther) != 0;
                       });
}

Report::Missed Tally::chances_of_missing() const {
  constexpr std::uint32_t kMostDepth = 3;
  constexpr double kSaysSomething = 0.5;
  std::vector<double> chances;
  const bool unknown =
      pct_.other_choices || report_.step_limit_reached || report_.slow_threads || cut_off_ != 0 || lost_ != 0;
  for (std::uint32_t depth = 1; depth <= kMostDepth && !unknown; ++depth) {
    chances.push_back(pct_.draws.missed_at_most(depth, report_.tasks_max, pct_.steps));
    if (chances.back() > kSaysSomething) break;
  }
  if (!chances.empty() && chances.back() > kSaysSomething) chances.pop_back();
  return {chances, pct_.steps};
}

void Tally::count_end(const Execution& execution) {
  ++ended_by_itself_;
  if (!SpinLoops::concerns(execution.end.end)) return;
  ++cut_off_;
  least_cut_off_ = std::min<std::uint32_t>(least_cut_off_, execution.end.preemptions);
}

bool Tally::lose(const std::string& why) {
  ++lost_;
  last_loss_ = why;
  return ended_by_itself_ == 0 && lost_ >= kHopeless;
}

void Tally::restart() {
  report_.schedules_given_up += report_.schedules;
  report_.schedules_before = report_.schedules = report_.schedules_stopped = report_.steps_run = 0;
  report_.resumed = report_.resumed_from_bookmarks = 0;
  report_.steps_max = report_.tasks_max = 0;
  report_.step_limit_reached = report_.fairness_held_back = false;
  report_.timeouts_could_fire = report_.waiters_chosen = false;
  lost_ = ended_by_itself_ = cut_off_ = 0;
  least_cut_off_ = UINT32_MAX;
  happens_before_ = HappensBefore();
  distinct_ = DistinctExecutions();
  draws_.clear();
  pct_ = Pct();
  switch_places_ = SwitchPlaces();
}

}  // namespace heddle
