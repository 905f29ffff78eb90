// See switch_places.h.
#include "analysis/switch_places.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::size_t kFarthest = 512;  // steps in which the one that was held up goes on, else we don't look further

// The operation that was held up by the choice at `step`: the next one of the thread that ran before it. Where that
// thread did not go on soon, or the choice is which way its own operation goes, the one that was chosen.
const StepRecord& held_up(const Execution& execution, std::size_t step) {
  const StepRecord& chosen = execution.steps[step];
  if (step == 0) return chosen;
  const TaskId before = execution.steps[step - 1].task;
  const std::size_t end = std::min(execution.steps.size(), step + kFarthest);
  for (std::size_t i = step; i < end; ++i)
    if (execution.steps[i].task == before) return execution.steps[i];
  return chosen;
}

std::uint64_t address_of(const Execution& execution, ObjectId object) {
  const ObjectRecord* record = execution.object(object);
  return record == nullptr ? 0 : record->address;
}

}  // namespace

void SwitchPlaces::add(const Plan& plan, const Execution& execution) {
  const Delta* last = last_delta(plan);
  if (last == nullptr || last->step >= execution.steps.size()) return;
  ++schedules_;
  const StepRecord& step = held_up(execution, last->step);
  auto found = places_.find(step.site);
  if (found == places_.end()) {
    if (places_.size() >= kMaxPlaces) return;
    const SwitchPlace place{address_of(execution, step.object), step.site, step.operation, 0};
    found = places_.emplace(step.site, place).first;
  }
  SwitchPlace& place = found->second;
  if (++place.schedules < kChecks && place.address != address_of(execution, step.object)) place.address = 0;
}

std::vector<SwitchPlace> SwitchPlaces::worst(std::size_t count) const {
  std::vector<SwitchPlace> result;
  for (const auto& [site, place] : places_) result.push_back(place);
  std::sort(result.begin(), result.end(), [](const SwitchPlace& one, const SwitchPlace& other) {
    return one.schedules != other.schedules ? one.schedules > other.schedules : one.site < other.site;
  });
  if (result.size() > count) result.resize(count);
  return result;
}

}  // namespace heddle
