// See racing_places.h.
#include "driver/explore/racing_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/shared.h"

namespace heddle {
namespace {

// In the middle of a search. One that has come to its end begins anew as often as there are new places.
constexpr unsigned kMaxRestarts = 10;
constexpr std::uint64_t kStepsAtFirst = std::uint64_t{1} << 17;

// As addresses where these are the same in each process: all others can do without looking for the file.
CodePlace place_of(const RaceRecord& access, bool randomized, const ModuleMap& modules) {
  return randomized ? place_of_access(access, modules) : CodePlace{{}, access.site};
}

}  // namespace

std::vector<const ExecutionRace*> RacingPlaces::take_new(const Execution& execution, bool randomized,
                                                         const ModuleMap& modules) {
  std::vector<const ExecutionRace*> found;
  for (const ExecutionRace& race : execution.races) {
    if (benign_.has_variables() && benign_.is_variable(race.later.address)) continue;
    const CodePlace earlier = place_of(race.earlier, randomized, modules);
    const CodePlace later = place_of(race.later, randomized, modules);
    const bool benign = (race.later.flags & RaceFlags::Benign) != 0;
    const bool ordered = (race.later.flags & RaceFlags::Ordered) != 0;
    auto& known = ordered ? ordered_ : benign ? meant_races_ : races_;
    if (!known.insert({std::min(earlier, later), std::max(earlier, later)}).second) continue;
    if (ordered) {  // both orders come of what orders them
      found.push_back(&race);
      continue;
    }
    if ((race.earlier.flags & RaceFlags::Atomic) == 0) add_point(earlier, randomized);
    if ((race.later.flags & RaceFlags::Atomic) == 0) add_point(later, randomized);
    if (!benign) found.push_back(&race);  // one that is meant is not reported; what follows from its orders is
  }
  return found;
}

std::vector<std::string> RacingPlaces::about_benign() const {
  std::vector<std::string> result;
  for (const std::string& name : benign_.variables_that_match(false))
    result.push_back(fmt::format("--benign: no data race was seen on a variable \"{}\"; of those with races, {}", name,
                                 benign_.other_variables()));
  return result;
}

bool RacingPlaces::is_collected(std::uint64_t at_first) const {
  return restarts_ < kMaxRestarts && (executions_ >= at_first << restarts_ || steps_ >= kStepsAtFirst << restarts_);
}

void RacingPlaces::count(const Execution& execution) {
  ++executions_;
  steps_ += execution.end.steps;
}

void RacingPlaces::collect_anew() {
  ++restarts_;
  executions_ = steps_ = 0;
}

// A place that can't be one in every process makes a search of which nothing is known, nor for what goes on with it.
void RacingPlaces::add_point(const CodePlace& place, bool randomized) {
  if (points_.count(place) != 0) return;
  if (!place.named() && randomized) {
    orders_missed_ =
        "they are in code that is in no file, whose place in another process is not known, since address randomization "
        "could not be switched off (allow personality() in the container)";
  } else if (points_.size() == kMaxPoints) {
    orders_missed_ = "more places race than can be scheduling points";
  } else {
    points_.insert(place);
  }
}

void RacingPlaces::forget(const std::vector<CodePlace>& points) {
  races_.clear();
  ordered_.clear();
  meant_races_.clear();
  orders_missed_.clear();
  points_ = {points.begin(), points.end()};
}

}  // namespace heddle
