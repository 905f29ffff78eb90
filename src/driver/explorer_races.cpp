// What data races lead to: a bug or a note, and scheduling points at their places. See explore.h.
#include "driver/explorer.h"

namespace heddle {

// Races are told apart by their places, without looking at the rest: an execution in ten thousand has a new one.
void Explorer::judge_races(const ExecutionFinished& event) {
  for (const ExecutionRace& race : event.execution->races) {
    if (stopped_ || !races_.insert(race_outcome(race).final_sites).second) continue;
    const ModuleMap modules = executor_.modules();
    // One that is suppressed is not told of. What comes of its orders is.
    for (const RaceRecord* access : {&race.earlier, &race.later})
      if ((access->flags & RaceFlags::Atomic) == 0) add_point(access->site);
    if (bugs_.is_suppressed(race, modules) || !bugs_.is_new(race, modules)) continue;
    if (options_.races == RaceMode::Bug) {
      bugs_.set_folder(executor_.in_own_folder(), executor_.made_files());
      bugs_.add_race({event.plan, *event.execution, {}, modules, executor_.config(), report_.schedules}, race);
    } else {
      note("data race: " + describe_race(race, *event.execution, modules));
    }
  }
}

// Where addresses are random, this one says nothing to the next process.
void Explorer::add_point(Site site) {
  if (executor_.randomized()) {
    orders_missed_ = keeping_failed_ = true;  // what goes on with this search would not know
  } else if (points_.size() < kMostPoints) {
    points_.insert(site);
  }
}

// From here on racing accesses are scheduling points, so that what comes of either order is explored. Steps are counted
// over scheduling points: nothing that was learned holds any more. Where there is no time for it, what was run counts.
void Explorer::add_points() {
  if (stopped_ || points_.size() == options_.points.size()) return;
  if (seconds_since(started_) >= options_.time_s) return;
  options_.points.assign(points_.begin(), points_.end());
  executor_.begin_anew();
  Restarted restarted{"places that race are scheduling points from here on, and the search begins anew"};
  on(restarted);
}

}  // namespace heddle
