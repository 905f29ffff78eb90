// What partial-order reduction explores besides races (dpor.h): the other outcomes of an operation, and timeouts.
#pragma once

#include <cstdint>
#include <vector>

#include "search/execution_order.h"
#include "search/late_accesses.h"
#include "trace/execution.h"

namespace heddle {

class Alternatives {
 public:
  struct Alternative {
    std::uint32_t step = 0;
    Choice choice;
  };

  explicit Alternatives(bool early_timeouts) : early_timeouts_(early_timeouts) {}
  // Those at the step `first` and behind, in an execution that `order` has read.
  const std::vector<Alternative>& find(const ExecutionOrder& order, std::uint32_t first);
  // Those that were found last.
  const std::vector<Alternative>& all() const { return found_; }

 private:
  void find_variants(const ExecutionOrder& order, std::uint32_t first);
  void find_timeouts(const Execution& execution, std::uint32_t first);
  void find_disarmed(const Execution& execution, std::uint32_t first);

  bool early_timeouts_;
  StateCursor cursor_;
  LateAccesses late_;
  std::vector<Alternative> found_;
};

}  // namespace heddle
