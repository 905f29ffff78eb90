// What the explore loop does with failures and races on snapshots that do not come again in a fresh process: before one
// is reported, the same plan is run in a process of its own beside the snapshot. If that goes another way, memory was
// not all that had to be put back, and the search begins anew under fork; the failure was none. Meanwhile no more plans
// are handed out, and what fails besides waits, too.
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
  doubtful_.push_back({event.plan, *event.execution, outcome, modules, executor_.config(), report_.schedules, {}});
}

void Explorer::judge_race(const ExecutionFinished& event, const ExecutionRace& race, const ModuleMap& modules) {
  if (doubtful_.empty()) {
    bugs_.set_folder(executor_.in_own_folder(), executor_.made_files());
    const auto added = bugs_.add_race(
        {event.plan, *event.execution, {}, modules, executor_.config(), report_.schedules, executor_.may_doubt()},
        race);
    if (added != BugCollector::Added::Doubtful) return;
    executor_.doubt(event.plan, *event.execution);
  }
  doubtful_.push_back({event.plan, *event.execution, {}, modules, executor_.config(), report_.schedules, race});
}

// Snapshots are not to blame, or nobody knows: each is told of as it is, and all races, also where a failure ends it.
void Explorer::resolve_doubts() {
  bool ends = false;
  for (const Doubtful& one : std::exchange(doubtful_, {})) {
    const BugCollector::Candidate candidate{one.plan,    one.execution, one.outcome,
                                            one.modules, one.config,    one.schedule};
    if (one.race)
      bugs_.add_race(candidate, *one.race);
    else if (!ends)
      ends = bugs_.add(candidate) == BugCollector::Added::Yes && !options_.keep_going;
  }
  if (ends) return stop("bug");
  add_points();  // which waited, so that no failure is forgotten
}

// They were none, as far as is known. A race that was looked at is to be looked at again where it comes again.
void Explorer::drop_doubts() {
  for (const Doubtful& one : doubtful_) {
    if (!one.race) continue;
    bugs_.forget(*one.race, one.modules);
    // Which forgets more than these. What is found again is a point once more, and not told of again: see is_new().
    races_.clear();
    meant_races_.clear();
    points_ = {options_.points.begin(), options_.points.end()};
  }
  doubtful_.clear();
}

}  // namespace heddle
