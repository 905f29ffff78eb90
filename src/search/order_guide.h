// Which races partial-order reduction leaves out, since good runs have shown their other order (orders.h), and the
// walks before the search that learn such orders. Source: HaPSet (ICSE 2011), section 5.1.
#pragma once

#include <cstdint>
#include <memory>

#include "search/learning_runs.h"
#include "search/lookahead.h"
#include "search/orders.h"
#include "search/races.h"

namespace heddle {

class OrderGuide {
 public:
  struct Options {
    std::shared_ptr<const StatementOrders> orders = nullptr;  // null: nothing is left out
    std::uint64_t learn_first = 0;                            // so many walks run first, for the orders
    std::uint64_t seed = 1;                                   // of the walks
  };
  // The walks' plans are counted from there on.
  OrderGuide(const Options& options, PlanId first_plan);

  LearningRuns& walks() { return walks_; }
  // From here on leaves_out() is about this execution.
  void begin(const Execution& execution) {
    if (orders_) lookahead_.begin(execution, 0);
  }
  // Is the race not to be turned round? Is another way of a task's operation before a step not to be tried?
  bool leaves_out(const Race& race);
  bool leaves_out(std::uint32_t step, Choice choice);
  bool has_left_out() const { return left_out_ != 0; }
  void save(StateWriter& writer) const;
  bool restore(StateReader& reader);

 private:
  LearningRuns walks_;
  std::shared_ptr<const StatementOrders> orders_;
  Lookahead lookahead_;
  std::uint64_t left_out_ = 0;  // so many orders
};

}  // namespace heddle
