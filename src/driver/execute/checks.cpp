// See checks.h.
#include "driver/execute/checks.h"

#include <algorithm>
#include <utility>

#include "driver/execute/plan_ids.h"

namespace heddle {
namespace {

constexpr std::uint64_t kGrowth = 4;  // checks of snapshots are the more seldom the more have passed

// On a snapshot states are compared at other steps than in a process of its own. So one of two executions may go round
// more often before it is seen that a state has come again.
bool go_round_alike(const Execution& expected, const Execution& seen) {
  if (expected.end.loop_from == 0 || seen.end.loop_from == 0 || expected.end.end != seen.end.end) return false;
  const auto difference = compare(expected, seen);
  return difference && difference->step == std::min(expected.steps.size(), seen.steps.size());
}

}  // namespace

bool went_well(const Execution& execution) {
  return execution.end.end == EndKind::Exited && execution.end.status == 0 && !execution.damaged;
}

bool says_nothing(const Execution& execution) {
  return execution.damaged || execution.end.end == EndKind::Killed || execution.end.end == EndKind::Effect;
}

bool Checks::own_process_is_due(std::uint64_t finished) {
  if (finished < next_check_) return false;
  next_check_ = finished * kGrowth;
  return true;
}

bool Checks::again_is_due() {
  if (repeated_ >= most_repeated_) return false;
  ++repeated_;
  return true;
}

Plan Checks::begin(Plan plan, const Execution& expected, Kind kind, std::string where) {
  plan.id = kCheckFlag | ++made_;
  plan.afresh = true;
  plan.own_process = kind == Kind::OwnProcess || kind == Kind::OwnProcessAgain;
  under_way_.push_back({plan, expected, kind, std::move(where)});
  return plan;
}

void Checks::lose(PlanId plan) {
  std::erase_if(under_way_, [&](const Check& one) { return one.plan.id == plan; });
}

Checks::Finding Checks::judge(const Execution& execution, bool unstable) {
  Finding finding;
  const auto found = std::find_if(under_way_.begin(), under_way_.end(),
                                  [&](const Check& one) { return one.plan.id == execution.plan; });
  if (found == under_way_.end()) return finding;
  Check check = std::move(*found);
  under_way_.erase(found);
  if (says_nothing(execution)) return finding;
  if (check.kind == Kind::OwnProcess || check.kind == Kind::OwnProcessAgain) {
    judge_own_process(check, execution, unstable, finding);
    return finding;
  }
  if (unstable) return finding;
  finding.differs = compare(check.expected, execution);
  finding.other_process = check.kind == Kind::NewWorker;
  finding.expected = std::move(check.expected);
  return finding;
}

void Checks::judge_own_process(Check& check, const Execution& execution, bool unstable, Finding& finding) {
  if (go_round_alike(check.expected, execution)) return;
  const auto difference = compare_exactly(check.expected, execution);
  if (check.kind == Kind::OwnProcessAgain) {
    // Two processes of their own: if even they differ, it is not because of snapshots.
    if (!difference) finding.unfaithful = std::move(check.where);
    if (unstable) return;
    finding.differs = difference;
    finding.expected = std::move(check.expected);
    return;
  }
  if (!difference || unstable) return;
  std::string where = "step " + std::to_string(difference->step) + " was \"" + difference->expected +
                      "\" on a snapshot and \"" + difference->seen + "\" in a process of its own";
  finding.next = begin(std::move(check.plan), execution, Kind::OwnProcessAgain, std::move(where));
}

}  // namespace heddle
