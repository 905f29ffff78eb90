// Makes the schedule of a failure smaller before it is reported: fewer preemptions first, then fewer threads, then
// fewer steps. Walks find bugs with twenty preemptions where one or two suffice.
//
// Source: Zeller, Hildebrandt, Simplifying and Isolating Failure-Inducing Input, TSE 2002 (ddmin: take out ever smaller
// pieces, keep what still fails); for schedules Choi, Zeller, Isolating Failure-Inducing Thread Schedules, ISSTA 2002.
// What pieces are taken out of is the list of segments, so many steps of a thread in a row (PolicyKind::Segments). A
// segment may also go on until its thread has to wait, or become one with the next one of its thread, here or there. A
// smaller schedule counts if it shows the same bug.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "driver/explore/doubts.h"

namespace heddle {

// What reduction keeps small, in this order.
struct ScheduleCost {
  std::uint32_t preemptions = 0, threads = 0, steps = 0;
  friend bool operator<(const ScheduleCost& one, const ScheduleCost& other) {
    return std::tie(one.preemptions, one.threads, one.steps) < std::tie(other.preemptions, other.threads, other.steps);
  }
};
ScheduleCost cost_of(const Execution& execution);

// The segments of an execution.
std::vector<Segment> segments_of(const Execution& execution);

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
  Reduction(const RunOptions& options, Executor& executor, BugCollector& bugs, Doubts& doubts)
      : options_(options), executor_(executor), bugs_(bugs), doubts_(doubts) {}

  // Is a failure being made smaller? Then no plans of the search are to be handed out.
  bool any() const { return failure_.has_value(); }
  // Makes a failure smaller, or reports it; with RunOptions::minimize_s below 0 in a quarter of `seconds_spent`,
  // between one second and ten. `proved`: all schedules with so many preemptions were run; below 0: not known. True, as
  // from all of these: the search ends with it.
  bool judge(Found&& found, double seconds_spent, int proved);
  // Hands the next schedule to the executor, or reports the smallest one and what has waited for it.
  bool go_on();
  // Reports what there is.
  bool finish();
  // They were none, as far as is known.
  std::vector<Found> drop();
  // What came of a schedule of ours.
  void learn(ExecutionFinished& event);
  void lose() { out_ = false; }
  // How many schedules of ours the executor has.
  std::size_t out() const { return out_ ? 1 : 0; }

 private:
  bool may_be_smaller(const Found& found, int proved) const;
  std::optional<Plan> next();

  const RunOptions& options_;
  Executor& executor_;
  BugCollector& bugs_;
  Doubts& doubts_;
  std::optional<Found> failure_;  // the smallest so far
  std::string key_;               // what tells it from others
  std::vector<Found> aside_;      // others, which wait
  SegmentReducer reducer_;
  double budget_s_ = 0;
  std::optional<std::chrono::steady_clock::time_point> until_;  // counted from when its first schedule was run
  PlanId plans_ = 0;
  bool out_ = false;
};

}  // namespace heddle
