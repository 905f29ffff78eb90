// The first plan runs until two successive executions of it are alike (--prime): by then the program has set up what it
// sets up in its first run. Further processes of the program are compared with that execution.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "driver/execute/events.h"
#include "driver/target/options.h"
#include "trace/compare.h"

namespace heddle {

class Rehearsal {
 public:
  explicit Rehearsal(const RunOptions& options) : options_(options) {}

  bool over() const { return over_; }
  struct Finding {
    bool again = false;                 // the plan is to be run once more
    std::optional<Divergence> differs;  // the last two, and there are to be no more
    Execution expected;                 // the first of them then
    std::string note;
  };
  // An execution of the first plan, until it is over(). `others`: more plans are under way. With these, it would come
  // behind them, and events keep the order of submission.
  Finding look(const ExecutionFinished& event, bool others);
  // Another search begins, with another first plan.
  void restart();

  // Once it is over.
  const Plan& plan() const { return plan_; }
  const Execution& execution() const { return execution_; }
  // Is there something to compare with?
  bool ended_well() const { return execution_.end.end == EndKind::Exited; }
  // How often the plan was run before the execution that counts.
  unsigned runs_before() const { return runs_; }
  std::chrono::steady_clock::duration since() const { return std::chrono::steady_clock::now() - ended_; }

 private:
  const RunOptions& options_;
  bool over_ = false;
  std::optional<Execution> last_;
  unsigned runs_ = 0;
  Plan plan_;
  Execution execution_;
  std::chrono::steady_clock::time_point ended_;
};

}  // namespace heddle
