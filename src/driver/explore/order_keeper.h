// Learns orders of statements from the good schedules of a run, whichever strategy made them (search/orders.h), and
// keeps them in a file where the user asks for it (--orders).
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "analysis/source_text.h"
#include "analysis/targets.h"
#include "driver/target/options.h"
#include "report/orders_file.h"
#include "search/orders.h"
#include "trace/execution.h"

namespace heddle {

// Does the run ask for orders of statements, as a guide, a priority or a file?
bool uses_orders(const RunOptions& options);

class OrderKeeper {
 public:
  // Both must outlive this. The file, if there is one, was found to be in order before the run.
  OrderKeeper(const RunOptions& options, Targets& targets);

  const std::shared_ptr<StatementOrders>& orders() const { return orders_; }
  // Nothing is learned where nobody asks for it.
  void learn(const Execution& execution) {
    if (active_) orders_->learn(execution);
  }
  // Does it tell statements apart by their call stacks, so that executions must have these?
  bool needs_stacks() const { return active_ && options_.context > 1; }
  // At the end: adds to the file what is new, unless a bug was found. What the user should know; or nothing.
  std::string keep(bool bug_found);

 private:
  // "push: queue.items[queue.last++] = value;", with the calls that lead there: " < fill: push(1);"
  const std::string& text_of(StatementOrders::Statement statement);
  std::string text_at(Site site);

  const RunOptions& options_;
  Targets& targets_;
  bool active_;
  std::shared_ptr<StatementOrders> orders_ = std::make_shared<StatementOrders>();
  OrdersFile before_;
  SourceText sources_;
  std::unordered_map<StatementOrders::Statement, std::string> statements_;
};

}  // namespace heddle
