// What the regression store has of the program that is to be explored: tried before the search, and reported as its
// bugs are.
#pragma once

#include <vector>

#include "cli/run_observer.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "driver/target/target.h"
#include "report/report.h"

namespace heddle::cli {

class RegressionTrial;
struct StoredBug;

// "2 stored schedules of queue_test are for other tests …", about those of a program of this name that none of the
// `commands` tries; empty: there are none. `others`: what else they may be for.
std::string note_on_others(const std::vector<StoredBug>& bugs, const std::string& program,
                           const std::vector<std::vector<std::string>>& commands, const char* others);

class Regressions {
 public:
  // `observer`: of the run, in whose folder bugs are kept.
  Regressions(const Target& target, const Settings& settings, RunObserver& observer, Terminal& terminal);

  // Tries all, and prints a line for each.
  void run();
  // Does the run end with what was found?
  bool end_run() const;
  double seconds() const { return seconds_; }
  // Of a run that ends here.
  Report report();
  // Adds what was found to the report of the search that came after it. Where that found a bug that is called fixed
  // here, prints what holds.
  void add_to(Report& report);

 private:
  void correct(const std::vector<Bug>& found);
  std::vector<Bug> report_failure(const RegressionTrial& trial, const TraceHeader& header);

  const Target& target_;
  const Settings& settings_;
  RunObserver& observer_;
  Terminal& terminal_;
  std::vector<RegressionResult> results_;
  std::vector<Bug> bugs_;
  std::uint64_t schedules_ = 0;
  std::uint32_t steps_max_ = 0;
  bool instrumented_ = false;  // where something failed
  std::size_t racing_places_ = 0;
  double seconds_ = 0;
};

}  // namespace heddle::cli
