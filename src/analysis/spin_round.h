// Finds the loop of an execution that was cut off because a thread went round without yielding, while others that could
// go on waited.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/execution.h"

namespace heddle {

struct SpinRound {
  std::size_t step = 0;         // in the last rounds: at the place that is the loop's own most likely
  std::size_t first = 0;        // from this step on the thread did nothing else
  std::uint32_t period = 0;     // how many of its steps a round has
  std::vector<TaskId> waiting;  // that could go on at some time
};

// Nothing: the thread that ran last does not repeat the same steps, or it yields, or nobody waits for it. The end of
// the execution says whether that it goes round for ever is proved; else it may only be long.
std::optional<SpinRound> spin_round_of(const Execution& execution);

}  // namespace heddle
