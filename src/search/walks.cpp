// See walks.h.
#include "search/walks.h"

#include <algorithm>
#include <functional>
#include <string>

#include "protocol/mix.h"

namespace heddle {
namespace {

std::unique_ptr<Strategy> make(const StrategyEntry& entry, const StrategyOptions& options) {
  return std::make_unique<Walks>(entry.sampler, options);
}

}  // namespace

StrategyEntry walks_entry(std::string_view name, const char* help, std::string_view draws, Sampler sampler,
                          double share) {
  const std::string search = "--search=" + std::string(name);
  return {.name = name,
          .help = help,
          .promise = {.draws = draws},
          .unfit = {{"--max-preemptions",
                     search + " draws schedules with any number of preemptions, so --max-preemptions has no effect on "
                              "it: use --search=bounded, or leave it out"},
                    {"--require-bound", search + " proves no bound, so --require-bound can't be met: use "
                                                 "--search=bounded, or leave it out"},
                    {"--reduction", "--reduction is for --search=bounded only: " + search +
                                        " leaves no schedule out; use --search=bounded, or leave it out"},
                    {"--no-preempt", "--no-preempt is for --search=bounded only, which counts preemptions"}},
          .remembers_choices = false,
          .sampler = sampler,
          .share = share,
          .races_collected_in = 8,
          .make = make};
}

std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t number) {
  return scrambled(scrambled(seed + kGoldenRatio) + number * kGoldenRatio);
}

Walks::Walks(Sampler sampler, const StrategyOptions& options)
    : sampler_(sampler),
      seed_(options.seed),
      knowledge_(options.knowledge ? options.knowledge : std::make_shared<WalkKnowledge>(options.is_plain_code)),
      first_plan_(options.first_plan),
      next_plan_(options.first_plan) {}

Next Walks::next() {
  if (again_.empty()) return plan_of(next_plan_++);
  const PlanId id = again_.back();
  again_.pop_back();
  return plan_of(id);
}

// Three of four walks leave main alone while it creates the first threads. Otherwise the early ones are mostly over
// before the last one exists; but some bugs need just that. In half of them threads stop behind some releases, where
// the program's code goes on without a step.
Plan Walks::plan_of(PlanId id) {
  Plan plan;
  plan.id = id;
  const std::uint64_t seed = mix_seed(seed_, id);
  Draws draws(seed);
  Walk walk;
  walk.seed = seed;
  walk.burst = draws.below(4) != 0 ? knowledge_->burst() : 0;
  if (knowledge_->plain_releases() && draws.below(2) == 0) walk.stops_one_in = 4u << 2 * draws.below(3);
  sampler_(plan, walk, *knowledge_, draws);
  outstanding_.insert(id);
  return plan;
}

void Walks::learn(const Execution& execution) {
  outstanding_.erase(execution.plan);
  const bool usable = execution.end.end != EndKind::Killed && execution.end.end != EndKind::Diverged;
  ++(usable ? learned_ : lost_);
  if (usable && !execution.damaged)
    knowledge_->learn(execution);
  else
    knowledge_->reads_from().lose(execution.plan);
}

void Walks::lost(PlanId plan) {
  outstanding_.erase(plan);
  knowledge_->reads_from().lose(plan);
  ++lost_;
}

Coverage Walks::coverage() const {
  Coverage coverage;
  coverage.lost = lost_;
  coverage.pending = next_plan_ - first_plan_ - learned_ - lost_;
  return coverage;
}

void Walks::save(StateWriter& writer) const {
  std::vector<PlanId> again(outstanding_.begin(), outstanding_.end());
  again.insert(again.end(), again_.begin(), again_.end());
  std::sort(again.begin(), again.end(), std::greater<>());
  writer(again, first_plan_, next_plan_, learned_, lost_, *knowledge_);
}

bool Walks::restore(StateReader& reader) {
  reader(again_, first_plan_, next_plan_, learned_, lost_, *knowledge_);
  return !reader.failed();
}

}  // namespace heddle
