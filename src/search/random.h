// Random schedules: at every step a choice drawn from all there are. The runtime draws (PolicyKind::Random). Here the
// seed of each execution is chosen, so that the run's seed and the execution's number determine everything.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <vector>

#include "search/strategy.h"

namespace heddle {

class RandomSearch final : public Strategy {
 public:
  explicit RandomSearch(std::uint64_t seed) : seed_(seed) {}

  Next next() override;
  void learn(const Execution& execution) override;
  void lost(PlanId plan) override;
  Coverage coverage() const override;
  void save(StateWriter& writer) const override;
  bool restore(StateReader& reader) override;

 private:
  Plan plan_of(PlanId id);

  std::uint64_t seed_;
  absl::flat_hash_set<PlanId> outstanding_;
  std::vector<PlanId> again_;  // were outstanding when the search was saved; the last comes first
  PlanId next_plan_ = 1;
  std::uint64_t learned_ = 0;
  std::uint64_t lost_ = 0;
};

// A seed for the n-th of something, so that neither neighbouring seeds nor neighbouring numbers are alike.
std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t number);

}  // namespace heddle
