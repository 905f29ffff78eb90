// The strategy of a run, and what the explore loop knows of its progress: which plans were handed out, whether there
// are more, and the estimate of how many there will be.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "analysis/no_preempt.h"
#include "analysis/targets.h"
#include "driver/execute/events.h"
#include "driver/execute/session.h"
#include "driver/explore/order_keeper.h"
#include "driver/target/options.h"
#include "search/estimate.h"
#include "search/registry.h"

namespace heddle {

class Search {
 public:
  // `modules`: the files that are loaded by now.
  Search(const RunOptions& options, std::function<ModuleMap()> modules);

  const StrategyEntry& entry() const { return entry_; }
  // The entry of the strategy, or of that part of it, that made a plan.
  const StrategyEntry& maker_of(PlanId plan) const;
  Strategy& strategy() { return *strategy_; }
  const Strategy& strategy() const { return *strategy_; }
  const NoPreempt& no_preempt() const { return no_preempt_; }
  const Targets& targets() const { return targets_; }
  // Nothing that was learned of schedules holds any more. So many more than before have been run for nothing; they
  // count for --max-schedules.
  void begin(std::uint64_t run_for_nothing);

  // Another search, up to a bound; its plans have numbers from there on.
  std::unique_ptr<Strategy> make_bounded(std::string_view name, std::uint32_t bound, PlanId first_plan);

  // The next plan; nothing when there is none now, or none any more.
  std::optional<Plan> next();
  // Since the search began anew.
  std::uint64_t handed_out() const { return handed_out_ - spent_; }
  // Have as many been handed out as --max-schedules allows?
  bool all_given() const { return options_.max_schedules && handed_out_ >= *options_.max_schedules; }
  // Has it run as many, if these are of the present search?
  bool all_run(std::uint64_t schedules) const {
    return options_.max_schedules && spent_ + schedules >= *options_.max_schedules;
  }
  // Nothing is left to be run, or what is left waits for what was lost.
  bool exhausted() const { return exhausted_; }
  void set_exhausted() { exhausted_ = true; }
  // The strategy has more than it knew of.
  void reopen() { exhausted_ = false; }

  // A schedule has come. Empty, or why it was lost. `session`: which ran it.
  std::string learn(const ExecutionFinished& event, const Session& session);
  // `schedules`: of this search; `in_all`: with those before it began anew.
  void note_estimate(std::uint64_t schedules, std::uint64_t in_all);
  std::optional<Estimate> estimate() const;

  OrderKeeper& orders() { return orders_; }

  // For run --resume. `outstanding`: so many of the plans that were handed out have brought nothing yet.
  void save(StateWriter& writer, std::uint64_t outstanding) const;
  // False: this can't be used.
  bool restore(StateReader& reader);

 private:
  StrategyOptions strategy_options();
  std::string lose_diverged(const ExecutionFinished& event, const Session& session);

  const RunOptions& options_;
  const StrategyEntry& entry_;
  std::function<ModuleMap()> modules_;
  NoPreempt no_preempt_;
  Targets targets_;
  OrderKeeper orders_;
  std::unique_ptr<Strategy> strategy_;
  EstimateHistory estimates_;
  std::uint64_t estimated_without_ = 0;  // schedules that the estimate does not count
  std::uint64_t handed_out_ = 0;
  std::uint64_t spent_ = 0;  // run before the search began anew
  bool exhausted_ = false;
  std::optional<std::string> time_stamps_;  // possible_time_stamps(), once they were asked for
};

}  // namespace heddle
