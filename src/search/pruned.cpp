// See pruned.h.
#include "search/pruned.h"

#include <algorithm>
#include <utility>

namespace heddle {

PrunedChoices::AtPlace& PrunedChoices::at(PreemptionPoints::Place place) {
  if (place >= places_.size()) places_.resize(place + 1u);
  return places_[place];
}

std::size_t PrunedChoices::limit(std::size_t size) const {
  return std::min(most_, factor_ * std::max(kFewest, size / kPart));
}

void PrunedChoices::keep(PreemptionPoints::Place place, const Pruned& one, Deviations& nodes, std::size_t size) {
  at(place).choices.push_back(one);
  nodes.refer_to(one.node);
  if (++count_ > limit(size)) drop_most(nodes);
}

void PrunedChoices::drop(PreemptionPoints::Place place, Deviations& nodes) {
  at(place).kept = false;
  for (const Pruned& one : take(place)) nodes.release(one.node);
}

// At least half of them: the places that have fewer than half as many as the average have less than half of all.
void PrunedChoices::drop_most(Deviations& nodes) {
  const auto used = static_cast<std::size_t>(
      std::count_if(places_.begin(), places_.end(), [](const AtPlace& place) { return !place.choices.empty(); }));
  const std::size_t all = count_;
  for (std::size_t place = 0; place < places_.size(); ++place)
    if (places_[place].choices.size() * 2 * used >= all) drop(static_cast<PreemptionPoints::Place>(place), nodes);
}

std::vector<PrunedChoices::Pruned> PrunedChoices::take(PreemptionPoints::Place place) {
  if (place >= places_.size()) return {};
  count_ -= places_[place].choices.size();
  return std::exchange(places_[place].choices, {});
}

void PrunedChoices::restart() {
  places_.clear();
  count_ = 0;
}

}  // namespace heddle
