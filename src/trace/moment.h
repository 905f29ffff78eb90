// When a failure became likely: how many random continuations fail from each step of its schedule on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/operations.h"

namespace heddle {

struct Moment {
  // From behind so many steps of the schedule on, `failed` of `runs` random continuations failed in the same way.
  struct Point {
    std::uint32_t steps = 0;
    std::uint32_t runs = 0;
    std::uint32_t failed = 0;
    double share() const { return runs == 0 ? 0 : static_cast<double>(failed) / runs; }
  };
  std::vector<Point> curve;  // ascending by steps; empty: not looked at
  // The schedule that has most steps in common with the failing one and ends well: at `step`, counted from 0, it goes
  // on with `task`.
  struct Passing {
    std::uint32_t step = 0;
    TaskId task = 0;
  };
  std::optional<Passing> passing;

  // A step, counted from 0, and how many continuations fail before and behind it.
  struct Decisive {
    std::uint32_t step = 0;
    Point before, behind;
  };
  // The step at which the share of those that fail grows most; nothing: no step makes a quarter of the difference, or
  // the step is not known exactly.
  std::optional<Decisive> decisive() const {
    constexpr double kTelling = 0.25;
    std::optional<Decisive> result;
    double most = kTelling;
    for (std::size_t i = 1; i < curve.size(); ++i) {
      const double growth = curve[i].share() - curve[i - 1].share();
      if (growth < most) continue;
      most = growth;
      result = Decisive{curve[i].steps - 1, curve[i - 1], curve[i]};
    }
    if (result && result->behind.steps != result->before.steps + 1) return {};
    return result;
  }
};

}  // namespace heddle
