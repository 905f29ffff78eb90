// When did a failure become likely? From some steps of its schedule on, executions go on at random, and those that fail
// in the same way are counted. First from steps that are far apart; then from those between the two where the share
// that fails grows most, until the step is known that makes the difference.
//
// The share is a martingale along a random schedule: one step can only make the difference that it decides. The idea to
// look for the step behind which failure is certain is that of bisection in Choi, Zeller, Isolating Failure-Inducing
// Thread Schedules, ISSTA 2002; there between a failing and a passing schedule, here among random ones.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/execution.h"
#include "trace/moment.h"
#include "trace/plan.h"

namespace heddle {

class Continuations {
 public:
  // Of an execution that failed within its first `steps` steps, as `plan` had it.
  void begin(const Execution& failure, std::size_t steps, const Plan& plan);
  bool begun() const { return since_.has_value(); }
  void end() { since_.reset(); }
  // The next one to be run, without an id; nothing: no more are needed before those that are out have come back, or so
  // many seconds have passed.
  std::optional<Plan> next(double seconds);
  // What came of next(), in any order. `steps`: as many of the failing schedule it had before it went on at random.
  // `passed`: it ended well.
  void learn(std::uint32_t steps, bool failed, bool passed, const Execution& execution);
  void lose();
  // What is known so far. Where few have come back, nothing is said.
  Moment result() const;

 private:
  void begin_round();
  std::optional<Plan> make(std::uint32_t steps, std::uint32_t number) const;

  std::vector<Choice> choices_;  // of the failure
  Plan like_;                    // its plan, without what decides
  std::vector<Moment::Point> curve_;
  // The points of this round that have not had so many runs.
  struct Open {
    std::size_t point = 0;
    std::uint32_t runs = 0;
  };
  std::vector<Open> open_;
  std::size_t turn_ = 0;
  std::uint32_t seed_ = 0;
  std::uint32_t out_ = 0;
  std::optional<std::chrono::steady_clock::time_point> since_;  // it was begun
  std::optional<Moment::Passing> passing_;
};

}  // namespace heddle
