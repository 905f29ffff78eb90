// See reversals.h.
#include "search/reversals.h"

#include <vector>

namespace heddle {

void Reversals::begin(const Execution& execution, std::uint32_t first, const std::function<bool(const Race&)>& counts) {
  constexpr std::size_t kMostSequences = 4'096;  // each takes as long as what is behind it
  wanted_.clear();
  led_to_.clear();
  races_.analyse(execution, 0, first);
  for (const Race& race : races_.races()) {
    if (race.first < first || !counts(race)) continue;
    wanted_.insert({race.first, race.second.choice.task});
    if (led_to_.size() >= kMostSequences || led_to_.contains(race.first)) continue;
    const std::vector<Event> sequence = races_.reversal(race);
    if (!sequence.empty()) led_to_.emplace(race.first, sequence.front().choice.task);
  }
}

Reversals::Wanted Reversals::wanted(std::uint32_t step, TaskId task) const {
  if (wanted_.contains({step, task})) return Wanted::Yes;
  const auto found = led_to_.find(step);
  return found != led_to_.end() && found->second == task ? Wanted::Conservatively : Wanted::No;
}

}  // namespace heddle
