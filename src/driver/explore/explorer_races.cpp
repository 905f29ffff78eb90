// What data races lead to: a bug or a note, and scheduling points at their places. See explore.h.
#include <algorithm>

#include "driver/explore/explorer.h"

namespace heddle {
namespace {

// As addresses where these are the same in each process: all others can do without looking for the file.
CodePlace place_of(const RaceRecord& access, bool randomized, const ModuleMap& modules) {
  return randomized ? place_of_access(access, modules) : CodePlace{{}, access.site};
}

}  // namespace

// Races are told apart by their places, without looking at the rest: an execution in ten thousand has a new one.
void Explorer::judge_races(const ExecutionFinished& event) {
  if (event.execution->races.empty()) return;
  const bool randomized = executor_.session().randomized();
  ModuleMap modules = randomized ? executor_.session().modules() : ModuleMap();
  for (const ExecutionRace& race : event.execution->races) {
    const CodePlace earlier = place_of(race.earlier, randomized, modules);
    const CodePlace later = place_of(race.later, randomized, modules);
    // One that is meant, or suppressed, is not told of. What comes of its orders is.
    const bool benign = (race.later.flags & RaceFlags::Benign) != 0;
    auto& known = benign ? meant_races_ : races_;
    if (stopped_ || !known.insert({std::min(earlier, later), std::max(earlier, later)}).second) continue;
    if (modules.empty()) modules = executor_.session().modules();
    if ((race.earlier.flags & RaceFlags::Atomic) == 0) add_point(earlier);
    if ((race.later.flags & RaceFlags::Atomic) == 0) add_point(later);
    if (benign) continue;
    if (bugs_.is_suppressed(race, modules) || !bugs_.is_new(race, modules)) continue;
    if (options_.races == RaceMode::Bug) {
      judge({event.plan, *event.execution, {}, modules, executor_.session().config(), report_.schedules, race});
    } else {
      note("data race: " + describe_race(race, *event.execution, modules));
    }
  }
}

// A place that can't be one in every process makes a search of which nothing is known, nor for what goes on with it.
void Explorer::add_point(const CodePlace& place) {
  if (points_.count(place) != 0) return;
  if (!place.named() && executor_.session().randomized()) {
    orders_missed_ =
        "they are in code that is in no file, whose place in another process is not known, since address randomization "
        "could not be switched off (allow personality() in the container)";
  } else if (points_.size() == kMostPoints) {
    orders_missed_ = "more places race than can be scheduling points";
  } else {
    points_.insert(place);
    return;
  }
  keeping_failed_ = true;
}

// From here on racing accesses are scheduling points, so that what comes of either order is explored. Steps are counted
// over scheduling points: nothing that was learned holds any more. Where there is no time for it, what was run counts.
void Explorer::add_points() {
  if (stopped_ || !doubtful_.empty() || points_.size() == options_.points.size()) return;
  if (seconds_since(started_) >= options_.time_s) return;
  options_.points.assign(points_.begin(), points_.end());
  executor_.begin_anew();
  Restarted restarted{"places that race are scheduling points from here on, and the search begins anew"};
  on(restarted);
}

}  // namespace heddle
