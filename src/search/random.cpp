// See random.h.
#include "search/random.h"

#include <algorithm>
#include <functional>

#include "protocol/mix.h"
#include "search/strategy_entry.h"

namespace heddle {
namespace {

std::unique_ptr<Strategy> make(const StrategyEntry&, const StrategyOptions& options) {
  return std::make_unique<RandomSearch>(options.seed);
}

}  // namespace

StrategyEntry random_strategy() {
  return {.name = "random",
          .help = "schedules drawn at random",
          .promise = {.draws = "drawn at random"},
          .unfit = {{"--max-preemptions",
                     "--search=random draws schedules with any number of preemptions, so --max-preemptions has no "
                     "effect on it: use --search=bounded, or leave it out"},
                    {"--require-bound",
                     "--search=random proves no bound, so --require-bound can't be met: use --search=bounded, or leave "
                     "it out"},
                    {"--reduction",
                     "--reduction is for --search=bounded only: --search=random leaves no schedule out; use "
                     "--search=bounded, or leave it out"},
                    {"--no-preempt", "--no-preempt is for --search=bounded only, which counts preemptions"}},
          .remembers_choices = false,
          .make = make};
}

std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t number) {
  return scrambled(scrambled(seed + kGoldenRatio) + number * kGoldenRatio);
}

Next RandomSearch::next() {
  if (again_.empty()) return plan_of(next_plan_++);
  const PlanId id = again_.back();
  again_.pop_back();
  return plan_of(id);
}

Plan RandomSearch::plan_of(PlanId id) {
  Plan plan;
  plan.id = id;
  tell_policy<PolicyKind::Random>(plan, {mix_seed(seed_, id)});
  outstanding_.insert(id);
  return plan;
}

void RandomSearch::learn(const Execution& execution) {
  outstanding_.erase(execution.plan);
  const bool usable = execution.end.end != EndKind::Killed && execution.end.end != EndKind::Diverged;
  ++(usable ? learned_ : lost_);
}

void RandomSearch::lost(PlanId plan) {
  outstanding_.erase(plan);
  ++lost_;
}

Coverage RandomSearch::coverage() const {
  Coverage coverage;
  coverage.lost = lost_;
  coverage.pending = next_plan_ - 1 - learned_ - lost_;
  return coverage;
}

void RandomSearch::save(StateWriter& writer) const {
  std::vector<PlanId> again(outstanding_.begin(), outstanding_.end());
  again.insert(again.end(), again_.begin(), again_.end());
  std::sort(again.begin(), again.end(), std::greater<>());
  writer(again, next_plan_, learned_, lost_);
}

bool RandomSearch::restore(StateReader& reader) {
  reader(again_, next_plan_, learned_, lost_);
  return !reader.failed();
}

}  // namespace heddle
