// Preemptions that a bounded search has pruned because, as far as is known, they bring nothing (preemption_points.h).
// They are kept in case the operations after them turn out to race.
//
// Nearly always that shows in the first executions, or never. So not all of them are kept. Beyond a limit, which grows
// with the frontier, the places with most pruned preemptions are dropped: none of them has mattered so far. If such a
// place turns out to race after all, the search begins again, and keeps more. So the pruned preemptions take a small
// part of the memory of the frontier, not a multiple of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/graph_hash.h"
#include "search/deviations.h"
#include "search/preemption_points.h"

namespace heddle {

class PrunedChoices {
 public:
  struct Pruned {
    std::uint64_t ahead_low = 0;        // of the state that it leads to, what StateTable looks at; zeros: not known
    std::uint32_t ahead_high : 24 = 0;  //
    std::uint32_t preemptions : 8 = 0;  //
    Deviations::Id node = Deviations::kNone;
    std::uint32_t step = 0;
    Choice choice;
    GraphHash ahead() const { return {ahead_low, ahead_high}; }
  };
  static_assert(sizeof(Pruned) == 24);
  static constexpr unsigned kMaxPreemptions = 255;

  explicit PrunedChoices(std::size_t most) : most_(most) {}

  // Is what is pruned at this place worth a call of keep()?
  bool keeps(PreemptionPoints::Place place) const { return place >= places_.size() || places_[place].kept; }
  // Keeps one, and a reference to its node. `size` of the search: what is kept is a small part of it.
  void keep(PreemptionPoints::Place place, const Pruned& one, Deviations& nodes, std::size_t size);
  // Nothing that is pruned there is kept.
  void drop(PreemptionPoints::Place place, Deviations& nodes);
  // All of a place, which is empty then. Their references are the caller's.
  std::vector<Pruned> take(PreemptionPoints::Place place);
  // The search begins again: nothing has been pruned.
  void restart();
  // A place turned out to matter at which they were not kept.
  void keep_more() { factor_ = std::min(factor_ * kMore, most_ + 1); }

  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(Pruned); }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.places_, self.count_, self.factor_);
  }

 private:
  static constexpr std::size_t kFewest = 64;  // so many are always kept
  static constexpr std::size_t kPart = 8;     // one for so many of the size
  static constexpr std::size_t kMore = 8;     // times as many the next time

  struct AtPlace {
    std::vector<Pruned> choices;
    bool kept = true;
    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.choices, self.kept);
    }
  };

  AtPlace& at(PreemptionPoints::Place place);
  std::size_t limit(std::size_t size) const;
  void drop_most(Deviations& nodes);

  std::size_t most_;
  std::size_t factor_ = 1;
  std::vector<AtPlace> places_;
  std::size_t count_ = 0;
};

}  // namespace heddle
