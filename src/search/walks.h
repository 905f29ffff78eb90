// Searches that draw. Each plan is a walk: a policy in the target (protocol/policies.h) that draws its choices from a
// seed. Here the seed of each is chosen, so that the run's seed, the plan's number and what was learned before
// determine everything; and what the policy should know is told to it (walk_knowledge.h).
//
// To add a sampler: its policy, and a file here with its entry, which is walks_entry() with a function that makes its
// plans.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "search/draws.h"
#include "search/strategy.h"
#include "search/strategy_entry.h"
#include "search/walk_knowledge.h"

namespace heddle {

// The entry of a sampler. `draws` as Promise::draws: "drawn at random".
StrategyEntry walks_entry(std::string_view name, const char* help, std::string_view draws, Sampler sampler,
                          double share);

class Walks final : public Strategy {
 public:
  Walks(Sampler sampler, const StrategyOptions& options);

  Next next() override;
  void learn(const Execution& execution) override;
  void lost(PlanId plan) override;
  Coverage coverage() const override;
  void save(StateWriter& writer) const override;
  bool restore(StateReader& reader) override;

 private:
  Plan plan_of(PlanId id);

  Sampler sampler_;
  std::uint64_t seed_;
  std::shared_ptr<WalkKnowledge> knowledge_;
  absl::flat_hash_set<PlanId> outstanding_;
  std::vector<PlanId> again_;  // were outstanding when the search was saved; the last comes first
  PlanId first_plan_;
  PlanId next_plan_;
  std::uint64_t learned_ = 0;
  std::uint64_t lost_ = 0;
};

// A seed for the n-th of something, so that neither neighbouring seeds nor neighbouring numbers are alike.
std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t number);

}  // namespace heddle
