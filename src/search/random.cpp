// See random.h.
#include "search/random.h"

namespace heddle {
namespace {

// The output function of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a bijection in which every bit depends on all.
std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

}  // namespace

std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t number) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ull;
  return scramble(scramble(seed + kGolden) + number * kGolden);
}

Next RandomSearch::next() {
  Next next(std::in_place_type<Plan>);
  Plan& plan = std::get<Plan>(next);
  plan.id = next_plan_++;
  plan.policy = PolicyKind::Random;
  plan.seed = mix_seed(seed_, plan.id);
  return next;
}

void RandomSearch::learn(const Execution& execution) {
  const bool usable = execution.end.end != EndKind::Killed && execution.end.end != EndKind::Diverged;
  ++(usable ? learned_ : lost_);
}

void RandomSearch::lost(PlanId, LostReason) { ++lost_; }

Coverage RandomSearch::coverage() const {
  Coverage coverage;
  coverage.lost = lost_;
  coverage.pending = next_plan_ - 1 - learned_ - lost_;
  return coverage;
}

}  // namespace heddle
