// The explore loop as a class; see explore.h. explore.cpp has the loop and its steps, explorer_samples.cpp what watches
// over the reductions, explorer_doubts.cpp what watches over failures, explorer_state.cpp what is kept for `run
// --resume`.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/distinct_executions.h"
#include "analysis/happens_before.h"
#include "analysis/no_preempt.h"
#include "analysis/switch_places.h"
#include "driver/execute/executor.h"
#include "driver/explore/bugs.h"
#include "driver/explore/execution_log.h"
#include "driver/explore/explore.h"
#include "driver/explore/samples.h"
#include "driver/explore/saved_search.h"
#include "search/estimate.h"
#include "search/registry.h"

namespace heddle {

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What a saved search has found out by now of how the program is to be run.
RunOptions as_saved(RunOptions options, const SavedSearch* saved);
// Of the steps and the end, without addresses: what compare() looks at.
std::uint64_t hash_of_steps(const Execution& execution);

class Explorer {
 public:
  Explorer(const Target& target, const RunOptions& options, Observer& observer, SavedSearch* saved);
  Report run();

 private:
  bool is_settled();
  void fill();
  void on_event(ExecutorEvent& event);
  void on(ExecutionFinished& event);
  void on(PlanLost& event);
  void on(EndedBeforeBranching& event);
  void on(WorkerFailed& event);
  void on(Restarted& event);
  std::unique_ptr<Strategy> make_strategy();
  void begin_search();
  void on_lost(const std::string& text);
  void learn(const ExecutionFinished& event);
  void on_too_large(ExecutionFinished& event);
  void on_diverged(const ExecutionFinished& event);
  void on_unstable(const Instability& instability);
  void on_finished_freely(ExecutionFinished& event);
  void judge(ExecutionFinished& event);
  struct Found;
  void judge(Found&& found);
  using Trust = BugCollector::Trust;
  BugCollector::Added add(const Found& found, Trust trust);
  void resolve_doubts();
  std::vector<Found> drop_doubts();
  void look_at_dropped(const std::vector<Found>& dropped);
  void forget_races();
  void look_at_sample(ExecutionFinished& event);
  void submit_sample(Plan plan);
  void on_sample(ExecutionFinished& event);
  void judge_races(const ExecutionFinished& event);
  void add_point(const CodePlace& place);
  void add_points();
  void look_at_first(const ExecutionFinished& event);
  void measure(const Execution& execution);
  void apply_stop_rules();
  void stop(StopReason reason);
  void give_up(StopReason reason, const std::string& why);
  void tell();
  void take_notes();
  void note_of(const Execution& execution, const std::string& text);
  void note(const std::string& text);
  void note_estimate();
  void conclude();
  void name_busy_places();
  std::string nothing_proved() const;
  std::string what_it_lacks() const;

  // explorer_state.cpp
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive);
  void restore();
  void keep_if_due();
  void keep();
  void keep_at_end();
  bool probe();
  void on_probe(const ExecutionFinished& event);
  bool may_keep() const { return saved_ != nullptr && options_.save_every_s > 0 && !keeping_failed_; }

  RunOptions options_;
  Observer& observer_;
  const StrategyEntry& entry_;
  Executor executor_;
  NoPreempt no_preempt_;
  std::unique_ptr<Strategy> strategy_;
  ExecutionLog log_;
  BugCollector bugs_;
  // A failure, or a race.
  struct Found {
    Plan plan;
    Execution execution;
    Outcome outcome;
    ModuleMap modules;
    Config config;
    std::uint64_t schedule;
    std::optional<ExecutionRace> race;  // that and not how it ended
  };
  // On snapshots, and the first did not come again in a fresh process: until it is known whether snapshots are to
  // blame.
  std::vector<Found> doubtful_;
  Samples samples_;
  std::size_t samples_out_ = 0;  // plans of theirs that the executor has
  HappensBefore happens_before_;
  DistinctExecutions distinct_;
  EstimateHistory estimates_;
  SwitchPlaces switch_places_;
  Execution example_;  // the first one, by which places are named
  Report report_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point branched_;
  Clock::time_point told_;
  std::uint64_t told_schedules_ = 0;
  double rate_ = 0;
  std::uint64_t submitted_ = 0;
  PlanId measured_ = 0;                // of the last execution that was measured
  std::uint64_t ended_by_itself_ = 0;  // executions that were not ended from outside, nor diverged
  std::uint64_t lost_ = 0;
  std::string last_loss_;
  std::optional<std::string> time_stamps_;  // possible_time_stamps(), once they were asked for
  bool branching_ = false;
  bool exhausted_ = false;
  bool out_of_memory_ = false;  // --memory
  bool races_expected_;
  bool stopped_ = false;
  std::set<std::string> noted_, noted_as_written_;
  std::set<std::pair<CodePlace, CodePlace>> races_;  // those that were seen, by their places
  std::set<std::pair<CodePlace, CodePlace>> meant_races_;
  std::string orders_missed_;   // why not all racing accesses are points; empty: they are
  std::set<CodePlace> points_;  // options_.points, and those that are to be among them
  bool randomized_ = false;     // when the search began: do processes have other addresses?

  // run --resume
  SavedSearch* saved_;
  Clock::time_point keep_next_;  // when the search is to be written down again
  bool keeping_failed_ = false;
  double seconds_before_ = 0;      // in earlier processes
  Plan first_plan_;                // without deltas
  std::uint64_t first_steps_ = 0;  // a hash of what came of it
  enum class Probe { None, Due, Out } probe_ = Probe::None;
};

}  // namespace heddle
