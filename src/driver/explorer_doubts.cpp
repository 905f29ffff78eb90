// What the explore loop does with failures on snapshots that do not come again in a fresh process: before one is
// reported, the same plan is run in a process of its own beside the snapshot. If it does not fail there either, memory
// was not all that had to be put back, and the search begins anew under fork; the failure was none. Meanwhile no more
// plans are handed out, and what fails besides waits, too.
#include "driver/explorer.h"

namespace heddle {

void Explorer::judge_failure(const ExecutionFinished& event, const Outcome& outcome) {
  bugs_.set_folder(executor_.in_own_folder(), executor_.made_files());
  const ModuleMap modules = executor_.modules();
  auto added = BugCollector::Added::Doubtful;
  BugCollector::Candidate candidate{event.plan, *event.execution,   outcome,
                                    modules,    executor_.config(), report_.schedules};
  candidate.may_doubt = executor_.isolation() == IsolationKind::Snapshot && options_.isolation == IsolationChoice::Auto;
  if (doubtful_.empty()) added = bugs_.add(candidate);
  if (added == BugCollector::Added::Doubtful && doubtful_.empty() && !executor_.doubts(event.plan, *event.execution)) {
    candidate.may_doubt = false;
    added = bugs_.add(candidate);
  }
  if (added == BugCollector::Added::Doubtful)
    doubtful_.push_back({event.plan, *event.execution, outcome, modules, executor_.config(), report_.schedules});
  if (added == BugCollector::Added::Yes && !options_.keep_going) stop("bug");
}

// Snapshots are not to blame, or nobody knows: each is told of as it is.
void Explorer::resolve_doubts() {
  for (const Doubtful& one : std::exchange(doubtful_, {})) {
    if (bugs_.add({one.plan, one.execution, one.outcome, one.modules, one.config, one.schedule}) !=
        BugCollector::Added::Yes)
      continue;
    if (!options_.keep_going) return stop("bug");
  }
}

}  // namespace heddle
