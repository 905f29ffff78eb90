// When a failure became likely: how many random continuations fail from each step of its schedule on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/operations.h"
#include "protocol/records.h"

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

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.curve, self.passing);
  }

  // A step, counted from 0, and how many continuations fail behind it, and before it or some steps earlier.
  struct Decisive {
    std::uint32_t step = 0;
    Point before, behind;
  };
  // The step at which the share of those that fail grows most; nothing: no step makes a quarter of the difference, or
  // the step is not known exactly. Where the same thread's next steps make it grow further, it is the last of these:
  // that a thread starts to run decides less than what it does then.
  template <typename Steps>
  std::optional<Decisive> decisive(const Steps& schedule) const {
    constexpr double kTelling = 0.25, kFurther = 0.05;
    constexpr std::uint32_t kSure = 60;  // runs: with fewer, chance makes such a difference now and then
    double most = kTelling;
    std::size_t last = 0;  // of the curve
    for (std::size_t i = 1; i < curve.size(); ++i) {
      const double growth = curve[i].share() - curve[i - 1].share();
      if (growth < most || (last != 0 && growth == most)) continue;
      most = growth;
      last = i;
    }
    const auto is_sure = [](const Point& point) { return point.runs >= kSure; };
    if (last == 0 || !is_sure(curve[last - 1]) || !is_sure(curve[last])) return {};
    if (curve[last].steps != curve[last - 1].steps + 1 || curve[last].steps > schedule.size()) return {};
    const Point before = curve[last - 1];
    const auto task_behind = [&](const Point& point) { return schedule[point.steps - 1].task; };
    while (last + 1 < curve.size() && is_sure(curve[last + 1]) && curve[last + 1].steps == curve[last].steps + 1 &&
           curve[last + 1].steps <= schedule.size() && curve[last + 1].share() >= curve[last].share() + kFurther &&
           task_behind(curve[last + 1]) == task_behind(curve[last]))
      ++last;
    return Decisive{curve[last].steps - 1, before, curve[last]};
  }
};

}  // namespace heddle
