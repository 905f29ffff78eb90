// See bugs.h.
#include "driver/bugs.h"

#include <algorithm>
#include <utility>

#include "driver/instability.h"
#include "driver/replay.h"
#include "trace/compare.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

unsigned count_timeouts(const Execution& execution) {
  return static_cast<unsigned>(std::count_if(execution.steps.begin(), execution.steps.end(),
                                             [](const StepRecord& step) { return step.variant == kTimeout; }));
}

std::string text_of(const Difference& difference) {
  return "step " + std::to_string(difference.step) + " should be \"" + difference.expected + "\" and was \"" +
         difference.seen + "\"";
}

// Whether the same bug came out is what counts; where the steps differ all the same, the detail says so.
void judge(Bug& bug, const std::string& identity, const ReplayResult& again) {
  if (!again.execution) {
    bug.replay = Bug::Replay::Diverged;
    bug.replay_detail = again.problem;
    return;
  }
  const auto difference = compare(bug.execution, *again.execution);
  if (difference)
    bug.replay_detail = text_of(*difference) + likely_inputs(*again.execution, difference->step, again.modules);
  if (bug_identity(again.outcome, again.modules) == identity) {
    bug.replay = Bug::Replay::Reproduced;
  } else if (difference || again.outcome.kind == OutcomeKind::Diverged) {
    bug.replay = Bug::Replay::Diverged;
    if (bug.replay_detail.empty()) bug.replay_detail = again.outcome.message;
  } else {
    bug.replay = Bug::Replay::Different;
    bug.replay_detail = again.outcome.kind == OutcomeKind::Ok ? "the same steps, and the program ended well"
                                                              : "the same steps, then: " + again.outcome.message;
  }
}

}  // namespace

std::string bug_identity(const Outcome& outcome, const ModuleMap& modules) {
  const ModuleNames names(modules);
  std::vector<std::string> sites;
  for (const Site site : outcome.final_sites) sites.push_back(names.text(site));
  std::sort(sites.begin(), sites.end());
  std::string identity = name(outcome.kind);
  for (const std::string& site : sites) identity += " " + site;
  return identity;
}

bool BugCollector::add(const Candidate& candidate) {
  if (!known_.insert(bug_identity(candidate.outcome, candidate.modules)).second) return false;
  Bug bug;
  bug.id = static_cast<int>(bugs_.size()) + 1;
  bug.outcome = candidate.outcome;
  bug.schedule = candidate.schedule;
  bug.preemptions = candidate.execution.end.preemptions;
  bug.timeouts = count_timeouts(candidate.execution);
  bug.execution = candidate.execution;
  bugs_.push_back(std::move(bug));
  confirm(bugs_.back(), candidate);
  return true;
}

void BugCollector::confirm(Bug& bug, const Candidate& candidate) {
  const Plan plan = dense_plan(bug.execution, candidate.plan);
  RunOptions options = options_;
  // In a fresh process, and in a folder of its own where the program needs one.
  if (candidate.config.isolation == IsolationKind::Exec) options.isolation = IsolationChoice::Exec;
  ReplayResult again = replay(target_, options, plan);
  judge(bug, bug_identity(bug.outcome, candidate.modules), again);
  notes_.insert(notes_.end(), again.notes.begin(), again.notes.end());
  if (bug.replay != Bug::Replay::Reproduced) {
    observer_.on_bug({bug, plan, candidate.modules, candidate.config});
    return;
  }
  bug.execution = std::move(*again.execution);
  bug.outcome = again.outcome;
  observer_.on_bug({bug, plan, again.modules, again.config});
}

}  // namespace heddle
