// Counts the executions of a search by their outcome, for the report: how many there were, how many were different, and
// how many were lost.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "analysis/class_draws.h"
#include "analysis/distinct_executions.h"
#include "analysis/happens_before.h"
#include "analysis/pct_draws.h"
#include "analysis/switch_places.h"
#include "driver/execute/events.h"
#include "report/report.h"
#include "search/strategy_entry.h"

namespace heddle {

class Tally {
 public:
  // `report`: whose counters are kept up to date.
  explicit Tally(Report& report) : report_(report) {}

  // A schedule of the search has come.
  void count(const Execution& execution);
  // How large it was, and what could have happened otherwise; of those that are no schedules of the search, too.
  void measure(const Execution& execution);
  // It was not ended from outside, nor diverged. `hash` by the strategy, if it has it; `by`: the strategy or the part
  // of it that made the plan.
  void add_whole(const ExecutionFinished& event, const std::optional<GraphHash>& hash, const StrategyEntry& by);
  // It ended by itself, and nothing was learned of it.
  void add_unlearned(const Execution& execution) { count_end(execution); }
  // One was lost. True: so were all, and there is no hope.
  bool lose(const std::string& why);
  // Another search begins, and what was counted is given up.
  void restart();

  std::uint64_t distinct() const { return distinct_.count(); }
  SmallestHashes smallest_hashes() const { return distinct_.smallest(); }
  bool distinct_is_all() const { return !distinct_.full(); }
  const SwitchPlaces& switch_places() const { return switch_places_; }
  bool any_whole() const { return ended_by_itself_ != 0; }
  // How many were cut off since they went round, or took too many steps; and did any come to its end?
  std::uint64_t cut_off() const { return cut_off_; }
  bool any_cut_off_within(unsigned preemptions) const { return cut_off_ != 0 && least_cut_off_ <= preemptions; }
  bool any_came_to_its_end() const { return ended_by_itself_ > cut_off_; }
  // How likely the next schedule is of a new class, by the strategy of whose independent draws there were most.
  std::optional<NewClassChance> chance_of_a_new_class() const;
  // How likely bugs of depth 1, 2 … were missed, as far as it can be said and says something.
  Report::Missed chances_of_missing() const;
  const std::string& last_loss() const { return last_loss_; }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t lost_or_whole() const { return lost_ + ended_by_itself_; }
  bool most_were_lost() const { return lost_ > ended_by_itself_; }

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    auto& report = self.report_;
    archive(report.schedules, report.schedules_given_up, report.steps_run, report.resumed,
            report.resumed_from_bookmarks, report.steps_max, report.tasks_max, report.step_limit_reached,
            report.fairness_held_back, report.timeouts_could_fire, report.waiters_chosen, report.schedules_stopped);
    archive(self.ended_by_itself_, self.cut_off_, self.least_cut_off_, self.lost_, self.last_loss_, self.distinct_,
            self.draws_, self.pct_, self.switch_places_);
  }

 private:
  // Of the schedules for which the theorem of PCT holds.
  struct Pct {
    PctDraws draws;
    std::uint32_t steps = 0;     // the most of one
    bool other_choices = false;  // of which the theorem says nothing
    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.draws, self.steps, self.other_choices);
    }
  };

  void count_end(const Execution& execution);
  void count_pct(const Plan& plan, const Execution& execution);

  Report& report_;
  HappensBefore happens_before_;
  DistinctExecutions distinct_;
  std::map<std::string, ClassDraws> draws_;  // by the names of strategies whose draws are independent
  Pct pct_;
  SwitchPlaces switch_places_;
  PlanId measured_ = 0;                // of the last execution that was measured
  std::uint64_t ended_by_itself_ = 0;  // those that were cut off, too
  std::uint64_t cut_off_ = 0;
  std::uint32_t least_cut_off_ = UINT32_MAX;  // the least preemptions of one
  std::uint64_t lost_ = 0;
  std::string last_loss_;
};

}  // namespace heddle
