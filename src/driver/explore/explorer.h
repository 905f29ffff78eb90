// The explore loop as a class; see explore.h. It owns the parts, each with its own task: search.h has the strategy,
// doubts.h settles failures, reduction.h makes them smaller, racing_places.h keeps the places of data races, samples.h
// watches over the reductions, tally.h counts, first_schedule.h and keeping.h serve `run --resume`.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "driver/execute/executor.h"
#include "driver/explore/bugs.h"
#include "driver/explore/doubts.h"
#include "driver/explore/ending.h"
#include "driver/explore/execution_log.h"
#include "driver/explore/first_schedule.h"
#include "driver/explore/keeping.h"
#include "driver/explore/notes.h"
#include "driver/explore/observer.h"
#include "driver/explore/racing_places.h"
#include "driver/explore/reduction.h"
#include "driver/explore/run_clock.h"
#include "driver/explore/samples.h"
#include "driver/explore/search.h"
#include "driver/explore/spin_loops.h"
#include "driver/explore/tally.h"

namespace heddle {

// What a saved search has found out by now of how the program is to be run.
RunOptions as_saved(RunOptions options, const SavedSearch* saved);

class Explorer {
 public:
  Explorer(const Target& target, const RunOptions& options, Observer& observer, SavedSearch* saved);
  Report run();

 private:
  void search();
  bool is_settled();
  void fill();
  void on_event(ExecutorEvent& event);
  void on_finished(ExecutionFinished& event);
  void on_schedule(ExecutionFinished& event);
  void on_unlearned(const ExecutionFinished& event, bool endless);
  void on_sample(ExecutionFinished& event);
  void on_lost(const std::string& text);
  void begin_sample(ExecutionFinished& event);
  void check_first(const ExecutionFinished& event);
  void judge(const ExecutionFinished& event);
  void judge_races(const ExecutionFinished& event);
  bool begin_anew(bool at_end = false);
  void restart(const std::string& why, std::uint64_t run_for_nothing);
  void apply_stop_rules();
  void tell();
  void take_notes();
  void conclude();

  // run --resume
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive);
  void restore();
  void keep();
  void keep_at_end();

  RunOptions options_;
  Observer& observer_;
  Executor executor_;
  Search search_;
  ExecutionLog log_;
  BugCollector bugs_;
  Doubts doubts_;
  Reduction reduction_;
  Samples samples_;
  RacingPlaces racing_;
  SpinLoops spins_;
  Report report_;
  Tally tally_;
  FirstSchedule first_;
  Keeping keeping_;
  Notes notes_;
  Ending ending_;
  RunClock clock_;
  bool out_of_memory_ = false;  // --memory-limit
  const bool races_expected_;   // they were asked for, and not only by default
};

}  // namespace heddle
