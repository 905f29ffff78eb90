// Makes the schedule of a failure smaller before it is reported: fewer preemptions first, then fewer threads, then
// fewer steps. Walks find bugs with twenty preemptions where one or two suffice.
//
// Source: Zeller, Hildebrandt, Simplifying and Isolating Failure-Inducing Input, TSE 2002 (ddmin: take out ever smaller
// pieces, keep what still fails); for schedules Choi, Zeller, Isolating Failure-Inducing Thread Schedules, ISSTA 2002.
// What pieces are taken out of is the list of segments, so many steps of a thread in a row (PolicyKind::Segments). A
// segment may also go on until its thread has to wait, or become one with the next one of its thread, here or there. A
// smaller schedule counts if it shows the same bug.
//
// What is left may still have a preemption too many: to take one out, others must come. So behind it all schedules with
// fewer are run, as far as the time allows, by the search that is bounded by preemptions (bounded.h). It finds the bug
// with the fewest, or proves that these are the fewest. The one that is bounded by delays takes turns with it: it
// proves nothing here, and comes to schedules with few preemptions in many threads sooner.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "driver/explore/continuations.h"
#include "driver/explore/doubts.h"
#include "driver/explore/omissions.h"
#include "search/strategy.h"

namespace heddle {

// What reduction keeps small, in this order.
struct ScheduleCost {
  std::uint32_t preemptions = 0, threads = 0, steps = 0;
  friend bool operator<(const ScheduleCost& one, const ScheduleCost& other) {
    return std::tie(one.preemptions, one.threads, one.steps) < std::tie(other.preemptions, other.threads, other.steps);
  }
};
ScheduleCost cost_of(const Execution& execution);

// Does what was proved hold for all schedules? Not where places were ruled out (--no-preempt, heddle_atomic_begin()),
// or schedules that count as equivalent are not to be trusted.
bool holds_for_all(const Coverage& coverage);

// Which lists of segments are to be tried: the rules of ddmin, without executions.
class SegmentReducer {
 public:
  // What is known to fail.
  void begin(std::vector<Segment> segments);
  // The next list to try; nothing: none is left.
  std::optional<std::vector<Segment>> next();
  // What was tried last fails as well, and is smaller. As it ran it has these segments.
  void take(std::vector<Segment> segments);

 private:
  // What is done to one segment.
  enum class Way : std::uint8_t { Longer, Later, Earlier, Count };
  std::optional<std::vector<Segment>> changed(std::size_t at, Way way) const;

  std::vector<Segment> present_;
  std::size_t piece_ = 0;     // how many are taken out at a time; 0: single ones are changed
  std::size_t at_ = 0;        // the first one of them
  Way way_ = Way::Longer;     // with piece_ 0, what is done next
  bool any_smaller_ = false;  // since piece_ was as large as it can be
};

// Failures come here first, and go on to Doubts when they are as small as they get.
class Reduction {
 public:
  // Makes a search by its name, up to a bound, whose plans have numbers from there on.
  using MakeBounded =
      std::function<std::unique_ptr<Strategy>(std::string_view name, std::uint32_t bound, PlanId first_plan)>;
  Reduction(const RunOptions& options, Executor& executor, BugCollector& bugs, Doubts& doubts, MakeBounded make_bounded)
      : options_(options), executor_(executor), bugs_(bugs), doubts_(doubts), make_bounded_(std::move(make_bounded)) {}

  // Is a failure being made smaller? Then no plans of the search are to be handed out.
  bool any() const { return failure_.has_value(); }
  // Has the search ended with a failure that is as small as it gets? What its last plans come to no longer counts.
  bool ends_search() const { return any() && !reducer_ && !options_.keep_going && !options_.has_baseline; }
  // Makes a failure smaller, or reports it; with RunOptions::minimize_s below 0 in a quarter of `seconds_spent`,
  // between one second and ten. `proved`: all schedules with so many preemptions were run; below 0: not known. True, as
  // from all of these: the search ends with it.
  bool judge(Found&& found, double seconds_spent, int proved);
  // Hands the next schedules to the executor, or reports the smallest one and what has waited for it.
  bool go_on();
  // Reports what there is.
  bool finish();
  // They were none, as far as is known.
  std::vector<Found> drop();
  // What came of a schedule of ours.
  void learn(ExecutionFinished& event);
  void lose(PlanId plan);
  // How many schedules of ours the executor has.
  std::size_t out() const { return out_; }

 private:
  bool may_be_smaller(const Found& found, int proved) const;
  bool may_become_likely(const Found& found) const;
  std::optional<Plan> next();
  void begin_next_part();
  void learn_omission(const ExecutionFinished& event);
  std::optional<Plan> next_of_continuations();
  void learn_continuation(const ExecutionFinished& event);
  std::optional<Plan> next_of_reducer();
  std::optional<Plan> next_of_fewer();
  Strategy& fewer_of(PlanId plan) { return plan < first_by_delays_ ? *by_preemptions_ : *by_delays_; }
  bool are_fewest() const;
  void begin_fewer();
  bool is_late(double share) const;
  bool has_much_out() const;
  void keep_aside(const ExecutionFinished& event, const Outcome& outcome);

  const RunOptions& options_;
  Executor& executor_;
  BugCollector& bugs_;
  Doubts& doubts_;
  std::optional<Found> failure_;  // the smallest so far
  std::string key_;               // what tells it from others
  struct Aside {
    std::vector<Found> found;
    std::set<std::string> keys;  // of those that a search of ours has come to
  };
  Aside aside_;                            // others, which wait
  std::optional<SegmentReducer> reducer_;  // null: it was as small as it gets from the first
  MakeBounded make_bounded_;
  std::unique_ptr<Strategy> by_preemptions_, by_delays_;  // null: the reducer is at work
  PlanId first_by_delays_ = 0;                            // their plans are told apart by this
  bool is_turn_of_delays_ = false;
  // Behind all that: does the smallest one need each of its deviations?
  Omissions omissions_;
  // And when did it become likely?
  Continuations continuations_;
  bool saw_races_ = false;  // whose orders were not all run
  double budget_s_ = 0;
  using Clock = std::chrono::steady_clock;
  struct Pace {
    std::optional<Clock::time_point> since, first_out;  // when its first schedule was run, and handed out before that
    std::uint64_t came = 0;                             // schedules
  };
  Pace pace_;
  PlanId plans_ = 0;
  std::size_t out_ = 0;
};

}  // namespace heddle
