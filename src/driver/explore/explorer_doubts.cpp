// What the explore loop does with failures and races on snapshots that do not come again in a fresh process: before one
// is reported, the same plan is run in a process of its own beside the snapshot. If that goes another way, memory was
// not all that had to be put back, and the search begins anew under fork; the failure was none. Meanwhile no more plans
// are handed out, and what fails besides waits, too.
#include "driver/explore/explorer.h"
#include "driver/process/interrupt.h"

namespace heddle {

BugCollector::Added Explorer::add(const Found& found, Trust trust) {
  const BugCollector::Candidate candidate{found.plan,   found.execution, found.outcome, found.modules,
                                          found.config, found.schedule,  trust};
  return found.race ? bugs_.add_race(candidate, *found.race) : bugs_.add(candidate);
}

void Explorer::judge(Found&& found) {
  if (doubtful_.empty()) {
    bugs_.set_folder(executor_.isolation().in_own_folder(), executor_.isolation().made_files());
    const auto added = add(found, executor_.may_doubt() ? Trust::Doubted : Trust::Told);
    if (added == BugCollector::Added::Yes && !found.race && !options_.keep_going) stop(StopReason::Bug);
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
    const bool is_told = add(one, Trust::Told) == BugCollector::Added::Yes;
    ends = ends || (is_told && !one.race && !options_.keep_going);
  }
  if (ends) return stop(StopReason::Bug);
  add_points();  // which waited, so that no failure is forgotten
}

// They were none, as far as is known: what was found races is to be looked at again where it comes again.
std::vector<Explorer::Found> Explorer::drop_doubts() {
  std::vector<Found> dropped = std::exchange(doubtful_, {});
  bool any_race = false;
  for (const Found& one : dropped) {
    if (!one.race) continue;
    bugs_.forget(*one.race, one.modules);
    any_race = true;
  }
  if (any_race) forget_races();
  return dropped;
}

// The first did not come again in a fresh process. What waited behind it and is another failure is told of if it does;
// a few of them, while there is time: they may all be none, and the search finds again what is not looked at.
void Explorer::look_at_dropped(const std::vector<Found>& dropped) {
  constexpr unsigned kMost = 3;
  unsigned tried = 0;
  std::set<std::string> seen;
  bugs_.set_folder(executor_.isolation().in_own_folder(), executor_.isolation().made_files());
  for (const Found& one : dropped) {
    const bool is_new = !one.race && seen.insert(bug_identity(one.outcome, one.modules)).second;
    if (!is_new || &one == &dropped.front()) continue;
    if (++tried > kMost || interrupted() || seconds_since(started_) >= options_.time_s) return;
    if (add(one, Trust::Confirmed) == BugCollector::Added::Yes && !options_.keep_going) return stop(StopReason::Bug);
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
