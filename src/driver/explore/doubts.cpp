// See doubts.h.
#include "driver/explore/doubts.h"

#include <set>
#include <string>
#include <utility>

#include "driver/process/interrupt.h"

namespace heddle {

BugCollector::Added Doubts::add(const Found& found, BugCollector::Trust trust) {
  const BugCollector::Candidate candidate{found.plan,   found.execution, found.outcome, found.modules,
                                          found.config, found.origin,    trust};
  return found.race ? bugs_.add_race(candidate, *found.race) : bugs_.add(candidate);
}

void Doubts::set_folder() {
  bugs_.set_folder(executor_.isolation().in_own_folder(), executor_.isolation().made_files());
}

bool Doubts::judge(Found&& found) {
  bool ends = false;
  if (!any()) {
    set_folder();
    const auto trust = executor_.may_doubt() ? BugCollector::Trust::Doubted : BugCollector::Trust::Told;
    const auto added = add(found, trust);
    ends = added == BugCollector::Added::Yes && !found.race && !options_.keep_going;
    if (added != BugCollector::Added::Doubtful) return ends;
    executor_.doubt(found.plan, found.execution);
  }
  waiting_.push_back(std::move(found));
  return ends;
}

bool Doubts::resolve() {
  bool ends = false;
  for (const Found& one : std::exchange(waiting_, {})) {
    if (!one.race && ends) continue;
    const bool is_reported = add(one, BugCollector::Trust::Told) == BugCollector::Added::Yes;
    ends = ends || (is_reported && !one.race && !options_.keep_going);
  }
  return ends;
}

std::vector<Found> Doubts::drop() {
  std::vector<Found> dropped = std::exchange(waiting_, {});
  for (const Found& one : dropped)
    if (one.race) bugs_.forget(*one.race, one.modules);
  return dropped;
}

// A few of them, while there is time: they may all be none, and the search finds again what is not looked at.
bool Doubts::examine(const std::vector<Found>& dropped, std::size_t doubted, const RunClock& clock) {
  constexpr unsigned kMax = 3;
  unsigned tried = 0;
  std::set<std::string> seen;
  set_folder();
  for (const Found& one : dropped) {
    const bool is_new = !one.race && seen.insert(bug_identity(one.outcome, one.modules)).second;
    if (!is_new || (doubted != 0 && &one == &dropped.front())) continue;
    if (++tried > kMax || interrupted() || clock.seconds() >= options_.time_s) return false;
    if (add(one, BugCollector::Trust::Confirmed) == BugCollector::Added::Yes && !options_.keep_going) return true;
  }
  return false;
}

}  // namespace heddle
