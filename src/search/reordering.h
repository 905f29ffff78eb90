// The steps of an execution in another order with the same happens-before graph, which counts as equivalent. Samples
// test with it whether equivalent schedules really end alike (driver/explore/samples.h).
#pragma once

#include <cstdint>
#include <vector>

#include "search/execution_order.h"
#include "trace/execution.h"

namespace heddle {

class Reordering {
 public:
  explicit Reordering(bool early_timeouts) : order_(early_timeouts) {}

  enum class Way {
    Reversed,  // what came early comes as late as it can
    InTurn,    // tasks take turns, those with high numbers first
  };
  // The choices of the other order; empty: there is none, or the execution is too long to be looked at.
  std::vector<Choice> of(const Execution& execution, Way way);

 private:
  bool prepare(const Execution& execution);
  std::vector<std::uint32_t> reversed();
  std::vector<std::uint32_t> in_turn();
  bool before(std::uint32_t step, std::uint32_t later) const {
    return level_[step] < level_[later] || (level_[step] == level_[later] && order_.ordered(step, later));
  }
  bool may_come_next(std::size_t task) const;
  bool may_come_last(std::size_t task) const;

  ExecutionOrder order_;
  std::vector<std::uint32_t> level_;                  // by step: higher behind one that is ordered with all others
  std::vector<std::vector<std::uint32_t>> steps_of_;  // by task
  std::vector<std::size_t> placed_;                   // by task: so many of them, from the front or from the back
};

}  // namespace heddle
