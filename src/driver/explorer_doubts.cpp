// What the explore loop does with failures and races on snapshots that do not come again in a fresh process: before one
// is reported, the same plan is run in a process of its own beside the snapshot. If that goes another way, memory was
// not all that had to be put back, and the search begins anew under fork; the failure was none. Meanwhile no more plans
// are handed out, and what fails besides waits, too.
#include <algorithm>
#include <utility>

#include "driver/explorer.h"

namespace heddle {

BugCollector::Added Explorer::add(const Found& found, bool may_doubt) {
  const BugCollector::Candidate candidate{found.plan,   found.execution, found.outcome, found.modules,
                                          found.config, found.schedule,  may_doubt};
  return found.race ? bugs_.add_race(candidate, *found.race) : bugs_.add(candidate);
}

void Explorer::judge(Found&& found) {
  if (doubtful_.empty()) {
    bugs_.set_folder(executor_.in_own_folder(), executor_.made_files());
    const auto added = add(found, executor_.may_doubt());
    if (added == BugCollector::Added::Yes && !found.race && !options_.keep_going) stop("bug");
    if (added != BugCollector::Added::Doubtful) return;
    executor_.doubt(found.plan, found.execution);
  }
  doubtful_.push_back(std::move(found));
}

// Snapshots are not to blame, or nobody knows: each is told of as it is, and all races, also where a failure ends it.
void Explorer::resolve_doubts() {
  bool ends = false;
  for (const Found& one : std::exchange(doubtful_, {})) {
    if (!one.race && ends) continue;
    const bool is_told = add(one, false) == BugCollector::Added::Yes;
    ends = ends || (is_told && !one.race && !options_.keep_going);
  }
  if (ends) return stop("bug");
  add_points();  // which waited, so that no failure is forgotten
}

// The first was none. Those that waited behind it are told of if they come again in a fresh process; else the search
// may find them once more, and looks at them then.
void Explorer::drop_doubts() {
  std::vector<Found> dropped = std::exchange(doubtful_, {});
  if (dropped.empty()) return;
  const auto is_race = [](const Found& one) { return one.race.has_value(); };
  if (std::any_of(dropped.begin(), dropped.end(), is_race)) forget_races();
  if (dropped.front().race) bugs_.forget(*dropped.front().race, dropped.front().modules);
  dropped.erase(dropped.begin());
  bugs_.set_folder(executor_.in_own_folder(), executor_.made_files());
  for (const Found& one : dropped) {
    const bool is_told = bugs_.may_confirm(bugs_.bugs().size() + 1) && add(one, true) == BugCollector::Added::Yes;
    if (one.race && !is_told) bugs_.forget(*one.race, one.modules);
    if (is_told && !one.race && !options_.keep_going) return stop("bug");
  }
}

// More than those that are in doubt: what is found again is a point once more, and not told of again, see is_new().
void Explorer::forget_races() {
  races_.clear();
  meant_races_.clear();
  orders_missed_.clear();
  points_ = {options_.points.begin(), options_.points.end()};
}

}  // namespace heddle
