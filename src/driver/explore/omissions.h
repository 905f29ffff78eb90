// Does a failure need each deviation of its schedule from the default? Each is left out alone: its segment is taken
// out, the others stay, and behind the last one the default decides. Where the failure does not come then, the
// deviation is needed.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "report/bug_details.h"
#include "trace/execution.h"
#include "trace/plan.h"

namespace heddle {

// The segments of an execution: so many steps of a thread in a row (PolicyKind::Segments).
std::vector<Segment> segments_of(const Execution& execution);
// A plan of them, like the one of the failure; nothing: they don't fit.
std::optional<Plan> plan_of(const std::vector<Segment>& segments, const Execution& failure, const Plan& like);

class Omissions {
 public:
  // Of an execution that failed within its first `steps` steps, as `plan` had it.
  void begin(const Execution& failure, std::size_t steps, const Plan& plan);
  bool begun() const { return since_.has_value(); }
  void end();
  // The next one to be run, under this number; nothing: none is left, or no time.
  std::optional<Plan> next(PlanId plan);
  // What came of it, in any order.
  void learn(PlanId plan, bool failed);
  const std::vector<TriedWithout>& result() const { return tried_; }

 private:
  struct Omission {
    std::uint32_t step = 0;
    Plan plan;
  };
  std::vector<Omission> left_;  // the last one comes next
  std::map<PlanId, std::uint32_t> out_;
  std::vector<TriedWithout> tried_;
  std::optional<std::chrono::steady_clock::time_point> since_;  // it was begun
};

}  // namespace heddle
