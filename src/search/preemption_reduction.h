// Prunes preemptions of a bounded search that bring nothing (preemption_points.h). It keeps them in case they turn out
// to matter (pruned.h), and chooses a sample that runs all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/preemption_points.h"
#include "search/pruned.h"

namespace heddle {

class PreemptionReduction {
 public:
  using Place = PreemptionPoints::Place;
  struct Options {
    bool reduce = false;                            // prune preemptions that bring nothing
    std::size_t max_pruned = std::size_t{1} << 19;  // of those, at most so many are kept for the case that they do
    unsigned made_at_first = 0;  // so many preemptions that bring nothing are made, before any is pruned
    unsigned sample_every = 0;   // then one of so many is made all the same; 0: none
  };

  explicit PreemptionReduction(const Options& options) : options_(options), choices_(options.max_pruned) {
    if (options.reduce) points_.emplace();
  }
  bool active() const { return points_.has_value(); }
  // From here on nothing is pruned.
  void give_up() { points_.reset(); }
  void restart() {
    choices_.restart();
    made_at_first_ = 0;
  }

  // Reads an execution. Returns the places at which preemptions were pruned and turn out to matter.
  const std::vector<Place>& learn(const Execution& execution) {
    static const std::vector<Place> kNothing;
    return points_ ? points_->learn(execution) : kNothing;
  }
  // Do preemptions before the step of that execution bring nothing?
  bool brings_nothing(std::uint32_t step) { return points_ && !points_->matter(step); }
  Place place_of(std::uint32_t step) const { return points_->place_of(step); }

  // A program may have few schedules, and among them a bug that the reduction can't foresee, since threads learn of
  // each other by something that is not looked at. So nothing is pruned until there is something to be won.
  bool make_at_first() {
    if (made_at_first_ == options_.made_at_first) return false;
    ++made_at_first_;
    return true;
  }
  // Later some are made all the same: where threads learn of each other by something that is not looked at, equal
  // states then go on differently, and StateReduction sees it.
  bool sample() {
    constexpr std::uint64_t kFirst = 8;
    ++total_;
    return options_.sample_every != 0 && (total_ <= kFirst || total_ % options_.sample_every == 0);
  }
  PrunedChoices& choices() { return choices_; }
  const PrunedChoices& choices() const { return choices_; }
  std::uint64_t total() const { return total_; }

  void save(StateWriter& writer) const {
    transfer(*this, writer);
    writer(active());
    if (points_) points_->save(writer);
  }
  // False: it makes no sense.
  bool restore(StateReader& reader) {
    transfer(*this, reader);
    bool was_active = false;
    reader(was_active);
    if (!was_active) points_.reset();
    if (was_active && !points_) return false;
    if (points_) points_->restore(reader);
    return !reader.failed();
  }

 private:
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.choices_, self.total_, self.made_at_first_);
  }

  Options options_;
  std::optional<PreemptionPoints> points_;
  PrunedChoices choices_;
  std::uint64_t total_ = 0;
  unsigned made_at_first_ = 0;
};

}  // namespace heddle
