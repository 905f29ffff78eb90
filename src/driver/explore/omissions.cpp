// See omissions.h.
#include "driver/explore/omissions.h"

#include <algorithm>

#include "analysis/deviations.h"
#include "driver/process/rings.h"

namespace heddle {
namespace {

constexpr std::size_t kMost = 32;     // deviations that are left out; of a longer schedule the first ones
constexpr double kMostSeconds = 0.2;  // the search waits
constexpr std::uint32_t kLonger = 4;  // a schedule that takes so many times the steps is cut off

}  // namespace

std::vector<Segment> segments_of(const Execution& execution) {
  std::vector<Segment> result;
  for (const StepRecord& step : execution.steps) {
    const Choice choice{step.task, step.variant};
    const bool goes_on = !result.empty() && choice.variant == 0 && result.back().choice == choice;
    if (goes_on)
      ++result.back().steps;
    else
      result.push_back({choice, 1});
  }
  return result;
}

std::optional<Plan> plan_of(const std::vector<Segment>& segments, const Execution& failure, const Plan& like) {
  Plan plan;
  plan.fair = like.fair;
  plan.slow_threads = like.slow_threads;
  plan.max_steps = failure.end.steps * kLonger + 1'000;
  plan.policy = PolicyKind::Segments;
  for (const Segment& segment : segments) tell_policy<PolicyKind::Segments>(plan, segment);
  if (!PlanRing::fits(plan)) return {};
  return plan;
}

void Omissions::begin(const Execution& failure, std::size_t steps, const Plan& plan) {
  end();
  since_ = std::chrono::steady_clock::now();
  const std::vector<Segment> segments = segments_of(failure);
  const std::vector<ScheduleDeviation> deviations = deviations_of(failure, steps, kMost);
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < segments.size(); begin += segments[i++].steps) {
    if (std::none_of(deviations.begin(), deviations.end(),
                     [&](const ScheduleDeviation& one) { return one.step == begin; }))
      continue;
    std::vector<Segment> others = segments;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (auto without = plan_of(others, failure, plan)) left_.push_back({begin, std::move(*without)});
  }
  std::reverse(left_.begin(), left_.end());
}

void Omissions::end() {
  left_.clear();
  out_.clear();
  tried_.clear();
  since_.reset();
}

std::optional<Plan> Omissions::next(PlanId plan) {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - *since_;
  if (left_.empty() || passed.count() >= kMostSeconds) return {};
  Omission omission = std::move(left_.back());
  left_.pop_back();
  out_[plan] = omission.step;
  omission.plan.id = plan;
  return std::move(omission.plan);
}

void Omissions::learn(PlanId plan, bool failed) {
  const auto found = out_.find(plan);
  if (found == out_.end()) return;
  tried_.push_back({found->second, !failed});
  out_.erase(found);
}

}  // namespace heddle
