// What the explore loop does with failures on snapshots that do not come again in a fresh process: before one is
// reported, the same plan is run in a process of its own beside the snapshot. If it does not fail there either, memory
// was not all that had to be put back, and the search begins anew under fork; the failure was none. Meanwhile no more
// plans are handed out, and what fails besides waits, too.
#include "driver/explorer.h"

namespace heddle {

void Explorer::judge_failure(const ExecutionFinished& event, const Outcome& outcome) {
  const ModuleMap modules = executor_.modules();
  if (doubtful_.empty()) {
    bugs_.set_folder(executor_.in_own_folder(), executor_.made_files());
    const auto added = bugs_.add(
        {event.plan, *event.execution, outcome, modules, executor_.config(), report_.schedules, executor_.may_doubt()});
    if (added == BugCollector::Added::Yes && !options_.keep_going) stop("bug");
    if (added != BugCollector::Added::Doubtful) return;
    executor_.doubt(event.plan, *event.execution);
  }
  doubtful_.push_back({event.plan, *event.execution, outcome, modules, executor_.config(), report_.schedules});
}

// Snapshots are not to blame, or nobody knows: each is told of as it is.
void Explorer::resolve_doubts() {
  for (const Doubtful& one : std::exchange(doubtful_, {})) {
    const auto added = bugs_.add({one.plan, one.execution, one.outcome, one.modules, one.config, one.schedule});
    if (added == BugCollector::Added::Yes && !options_.keep_going) return stop("bug");
  }
  add_points();  // which waited, so that no failure is forgotten
}

}  // namespace heddle
