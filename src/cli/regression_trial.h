// Tries a bug of the regression store on the program as it is now. Its schedule is put together again by places: run,
// look for the next place at which it lets another thread go on, run with that. If all goes well, schedules around it
// follow.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/placed_deltas.h"
#include "cli/regression_store.h"
#include "cli/settings.h"
#include "driver/execute/events.h"
#include "driver/execute/replay.h"
#include "driver/target/target.h"
#include "report/regression_result.h"

namespace heddle::cli {

class RegressionTrial {
 public:
  // `target` and `settings`: of the run that it comes before.
  RegressionTrial(const StoredBug& bug, const Target& target, const Settings& settings);
  RegressionTrial(const RegressionTrial&) = delete;
  RegressionTrial& operator=(const RegressionTrial&) = delete;

  const RegressionResult& run();

  // What failed, and how it was run.
  struct Failure {
    Plan plan;
    ReplayResult run;
    std::optional<ExecutionRace> race;  // that, and not how it ended
    bool is_same = false;               // as the bug that is stored
  };
  const std::optional<Failure>& failure() const { return failure_; }
  const RunOptions& options() const { return options_; }
  const Target& target() const { return target_; }
  std::uint64_t schedules() const { return schedules_; }

 private:
  // Each of these is false when the result is known.
  bool prepare();
  bool run_first();
  bool run_schedule();
  bool place_points();
  bool follow(const PlacedDelta& delta);
  bool judge(const Plan& plan, ReplayResult&& run, const char* which);
  bool is_usable();
  bool confirm(const Plan& plan, const Execution& execution);
  bool settle(RegressionResult::Kind kind, std::string evidence);

  void look_around();
  bool take_nearby(ExecutionFinished& event, const ModuleMap& modules);
  bool is_worth_a_look(const Execution& execution, const Outcome& outcome, const ModuleMap& modules);
  std::string evidence() const;

  const StoredBug& bug_;
  const Settings& settings_;
  Target target_;
  RunOptions options_;
  Plan plan_;          // the schedule as far as it is known
  ReplayResult last_;  // what came of it
  PlacedExecution placed_;
  std::uint32_t first_ = 0;              // from this step on the next delta is looked for
  std::vector<std::string> impossible_;  // where the schedule can't go on as it did
  std::set<std::string> known_;          // that have been looked at around it
  std::set<std::size_t> distinct_;       // hashes of those that ended well
  std::uint64_t schedules_ = 0;
  RegressionResult result_;
  std::optional<Failure> failure_;
};

}  // namespace heddle::cli
