// The table of strategies. To add one: a line here.
#include "search/registry.h"

#include <algorithm>

#include "search/bounded.h"
#include "search/dpor.h"
#include "search/random.h"

namespace heddle {
namespace {

// A run of so few schedules takes milliseconds; many programs have no more.
constexpr unsigned kMadeAtFirst = 256;

std::unique_ptr<Strategy> make_bounded(const StrategyOptions& options) {
  BoundedSearch::Options bounded;
  bounded.max_preemptions = options.max_preemptions.value_or(BoundedSearch::kNoBound);
  bounded.reduce = options.reduce_states;
  bounded.reduce_preemptions = options.reduce_preemptions;
  bounded.made_at_first = kMadeAtFirst;
  bounded.no_preempt = options.no_preempt;
  return std::make_unique<BoundedSearch>(bounded);
}

std::unique_ptr<Strategy> make_random(const StrategyOptions& options) {
  return std::make_unique<RandomSearch>(options.seed);
}

std::unique_ptr<Strategy> make_dpor(const StrategyOptions& options) {
  return std::make_unique<DporSearch>(options.early_timeouts);
}

}  // namespace

const std::vector<StrategyEntry>& strategies() {
  static const std::vector<StrategyEntry> table = {
      {"bounded", "all schedules without a preemption, then with one, two, …", true, make_bounded},
      {"random", "random schedules, each from its own seed", false, make_random},
      {"dpor", "one schedule of each set that differ only in the order of independent steps", false, make_dpor},
  };
  return table;
}

const StrategyEntry* find_strategy(std::string_view name) {
  const auto found = std::find_if(strategies().begin(), strategies().end(),
                                  [name](const StrategyEntry& entry) { return entry.name == name; });
  return found != strategies().end() ? &*found : nullptr;
}

}  // namespace heddle
