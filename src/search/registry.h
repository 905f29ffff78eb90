// The strategies by name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "search/strategy.h"

namespace heddle {

struct StrategyOptions {
  std::uint64_t seed = 1;
  std::optional<unsigned> max_preemptions;
  bool early_timeouts = true;
  bool reduce_states = true;
  bool reduce_preemptions = true;
  // Is this a place where threads are not to be preempted? Empty: there is none.
  std::function<bool(Site)> no_preempt = {};
};

struct StrategyEntry {
  std::string_view name;         // as after --search=
  std::string_view description;  // one line
  bool counts_preemptions;       // whether a bound can be proved
  std::unique_ptr<Strategy> (*make)(const StrategyOptions& options);
};

const std::vector<StrategyEntry>& strategies();
const StrategyEntry* find_strategy(std::string_view name);  // null when there is none

}  // namespace heddle
