// The strategies by name.
#pragma once

#include <string_view>
#include <vector>

#include "search/strategy_entry.h"

namespace heddle {

// The first one is what is searched by where the user names none.
const std::vector<StrategyEntry>& strategies();
const StrategyEntry* find_strategy(std::string_view name);  // null when there is none
// Whose own this option is; null: no strategy's.
const StrategyEntry* strategy_with_option(std::string_view option);

}  // namespace heddle
