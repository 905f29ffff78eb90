// The bugs of a run: it tells them apart, confirms each by a replay in a fresh process while there is time, and passes
// them to the observer.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/suppressions.h"
#include "driver/execute/replay.h"
#include "driver/explore/observer.h"
#include "driver/explore/run_clock.h"
#include "trace/moment.h"

namespace heddle {

// --time is kept where a run ends so long behind it, with all that it reports.
constexpr double kGrace_s = 0.5;

// Which schedule has shown something: its number from 1, the part of the search that made it, if that has parts, and
// how many preemptions it had before it was made smaller (reduction.h).
struct Origin {
  std::uint64_t schedule = 0;
  std::string_view part = {};
  unsigned preemptions = 0;
  bool needs_them = false;  // all schedules with fewer than those that are left were run
  Moment moment = {};       // when the failure became likely
  std::vector<TriedWithout> tried = {};
};

class BugCollector {
 public:
  BugCollector(const Target& target, const RunOptions& options, Observer& observer)
      : target_(target),
        options_(options),
        observer_(observer),
        suppressions_(read_suppressions(options.suppressions).suppressions) {}

  // What is reported when a bug does not come again in a fresh process, or there is no time for that.
  enum class Trust {
    Told,       // it is reported as it was seen
    Doubted,    // where it did not come again: Added::Doubtful
    Confirmed,  // also where there was no time
  };
  struct Candidate {
    const Plan& plan;
    const Execution& execution;
    const Outcome& outcome;
    const ModuleMap& modules;
    const Config& config;
    Origin origin;
    Trust trust = Trust::Told;
  };
  enum class Added {
    No,        // it is none, or was seen before
    Yes,       // it has been replayed, as far as there was time, and reported
    Known,     // likewise, but it is no news (Bug::is_known): no search ends with it
    Doubtful,  // never with Trust::Told: as if it had not been added
  };
  Added add(const Candidate& candidate);
  // What tells a failure from others, and whether it was reported.
  std::string key_of(const Outcome& outcome, const ModuleMap& modules);
  // Is there one among them that is news?
  bool any_new() const {
    return std::any_of(bugs_.begin(), bugs_.end(), [](const Bug& bug) { return !bug.is_known; });
  }
  bool knows(const std::string& key) const { return known_.contains(key); }
  // The same for data races, which other executions may have, too, and which may be suppressed: of those that come
  // again in a replay that is known. `candidate.outcome` is not asked. Doubtful ones may be forgotten.
  Added add_race(const Candidate& candidate, const ExecutionRace& race);
  // Has none been reported between the same lines on the same variable? `++x` reads and writes: up to three pairs of
  // places are one race to the user. Remembers it.
  bool is_new(const ExecutionRace& race, const ModuleMap& modules);
  void forget(const ExecutionRace& race, const ModuleMap& modules);
  // Does the user not want to know of it? By its places; call stacks are looked at when it is added.
  bool is_suppressed(const ExecutionRace& race, const ModuleMap& modules);
  // What was not reported because of which line of --suppressions, and which lines suppressed nothing.
  std::vector<std::string> about_suppressions(bool whole_search) const;
  // From now on replays run in a folder of their own if executions do, or if these files must not be found there.
  void set_folder(bool own, const std::vector<std::string>& made_files) {
    own_folder_ = own || !made_files.empty();
    made_files_ = made_files;
  }
  std::vector<Bug>& bugs() { return bugs_; }
  // How long it has taken at most to run a bug again and to report it; 0: no bug has come yet.
  double longest_report_s() const { return longest_report_s_; }
  // What was said of the schedules with fewer preemptions does not hold: there are others than were known.
  void withdraw_claims() {
    for (Bug& bug : bugs_) bug.needs_preemptions = false;
  }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.known_, self.races_, self.bugs_);
  }
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  ReplayResult run_again(const Bug& bug, const Plan& plan, const ModuleMap& modules);
  // Is there time for a replay? One schedule may have many races: --time is not to be overrun by all of them. The
  // first bug always has its replay.
  bool may_confirm() const;
  Added confirm_in_time(const Candidate& candidate);
  // The last bug. Unless it is reported, it is gone.
  Added confirm(const Candidate& candidate);
  Added tell(Bug& bug, const Plan& plan, const ModuleMap& modules, const Config& config);
  // Accesses in one line of the user's, made by functions of a library's header, are one race to him.
  bool is_reported(const Bug& race, const ModuleMap& modules);
  // Now that its call stacks are known: is it to be reported?
  bool is_none(const Bug& bug, const ModuleMap& modules);
  const RunClock clock_;
  double longest_report_s_ = 0;
  bool own_folder_ = false;
  std::vector<std::string> made_files_;
  const Target& target_;
  const RunOptions& options_;
  Observer& observer_;
  const Suppressions suppressions_;
  std::map<std::string, std::set<std::string>> suppressed_;  // races by their variable or lines, by the rule
  std::set<std::string> known_;
  std::map<std::vector<Site>, std::string> places_;  // of failures, by their stacks: it takes long to find them
  std::set<std::string> races_;                      // by their lines
  std::vector<Bug> bugs_;
  std::vector<std::string> notes_;
};

// For --races=report: one line.
std::string describe_race(const ExecutionRace& race, const Execution& execution, const ModuleMap& modules);

// What makes two bugs the same: the kind, and the final sites in a form that survives address randomization.
std::string bug_identity(const Outcome& outcome, const ModuleMap& modules);
// Besides, for outcomes with a stack: the innermost place of the user's own on it. Empty: not known.
std::string place_of_failure(const Outcome& outcome, const ModuleMap& modules);

}  // namespace heddle
