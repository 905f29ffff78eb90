// Searches that remember which choices they have not made yet: executions with more of them than there is memory for.
#pragma once

#include "search/strategy_entry.h"
#include "trace/execution.h"

namespace heddle {

// Would learning this execution take gigabytes? `given`: the values of the strategy's own options.
bool has_too_many_choices(const Execution& execution, const StrategyEntry& strategy, const OptionValues& given);

}  // namespace heddle
