// Strategies by their names, as the command line makes them.
#pragma once

#include <memory>
#include <string_view>

#include "search/registry.h"

namespace heddle::test {

inline std::unique_ptr<Strategy> strategy_named(std::string_view name, const StrategyOptions& options) {
  const StrategyEntry& entry = *find_strategy(name);
  return entry.make(entry, options);
}
inline std::unique_ptr<Strategy> random_search(std::uint64_t seed) { return strategy_named("random", {.seed = seed}); }

}  // namespace heddle::test
