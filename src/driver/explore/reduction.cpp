// See reduction.h.
#include "driver/explore/reduction.h"

#include <algorithm>

#include "driver/execute/plan_ids.h"
#include "driver/process/rings.h"

namespace heddle {
namespace {

constexpr std::uint32_t kToTheEnd = UINT32_MAX;  // until its thread has to wait
constexpr double kMostSeconds = 10;   // unless --minimize says otherwise: the search waits, and nothing is kept
constexpr std::uint32_t kLonger = 4;  // a schedule that takes so many times the steps is not smaller

}  // namespace

ScheduleCost cost_of(const Execution& execution) {
  return {execution.end.preemptions, execution.end.tasks, execution.end.steps};
}

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

// --- what is tried

void SegmentReducer::begin(std::vector<Segment> segments) {
  present_ = std::move(segments);
  piece_ = std::max<std::size_t>(present_.size(), 1);
  at_ = 0;
  way_ = Way::Longer;
  any_smaller_ = false;
}

std::optional<std::vector<Segment>> SegmentReducer::next() {
  for (;;) {
    if (at_ >= present_.size()) {
      at_ = 0;
      if (piece_ != 0) {
        piece_ /= 2;
        continue;
      }
      if (!std::exchange(any_smaller_, false)) return {};
      piece_ = std::max<std::size_t>(present_.size() / 2, 1);
    }
    if (piece_ == 0) {
      const Way way = way_;
      const std::size_t at = at_;
      way_ = static_cast<Way>(static_cast<unsigned>(way) + 1);
      if (way_ == Way::Count) {
        way_ = Way::Longer;
        ++at_;
      }
      if (auto tried = changed(at, way)) return tried;
      continue;
    }
    std::vector<Segment> tried = present_;
    const std::size_t end = std::min(at_ + piece_, tried.size());
    tried.erase(tried.begin() + static_cast<std::ptrdiff_t>(at_), tried.begin() + static_cast<std::ptrdiff_t>(end));
    at_ = end;
    return tried;
  }
}

// Nothing: it makes no difference.
std::optional<std::vector<Segment>> SegmentReducer::changed(std::size_t at, Way way) const {
  if (present_[at].choice.variant != 0) return {};
  std::vector<Segment> result = present_;
  if (way == Way::Longer) {
    if (std::exchange(result[at].steps, kToTheEnd) == kToTheEnd) return {};
    return result;
  }
  std::size_t later = at + 1;
  while (later < result.size() && !(result[later].choice == result[at].choice)) ++later;
  if (later >= result.size()) return {};
  const std::uint32_t steps = std::min(result[later].steps, kToTheEnd - result[at].steps) + result[at].steps;
  const std::size_t kept = way == Way::Later ? later : at, gone = way == Way::Later ? at : later;
  result[kept].steps = steps;
  result.erase(result.begin() + static_cast<std::ptrdiff_t>(gone));
  return result;
}

// Goes on about where it was: what was taken out before it is not tried again before the next round.
void SegmentReducer::take(std::vector<Segment> segments) {
  present_ = std::move(segments);
  any_smaller_ = true;
  at_ -= std::min(at_, std::max<std::size_t>(piece_, 1));
  way_ = Way::Longer;
}

// --- what is run

// What a search by preemptions finds has as few of them as can be, if it has run all schedules with fewer.
bool Reduction::may_be_smaller(const Found& found, int proved) const {
  const std::string_view part = found.origin.part.empty() ? std::string_view(options_.search) : found.origin.part;
  const bool fewest = find_strategy(part)->promise.bounds == "preemption" && !is_sample(found.plan.id) &&
                      proved + 1 >= static_cast<int>(found.execution.end.preemptions);
  return options_.minimize_s != 0 && !fewest && found.execution.end.preemptions != 0;
}

bool Reduction::judge(Found&& found, double seconds_spent, int proved) {
  if (doubts_.any() || (!any() && !may_be_smaller(found, proved))) return doubts_.judge(std::move(found));
  std::string key = bugs_.key_of(found.outcome, found.modules);
  if (bugs_.knows(key)) return false;
  if (any()) {
    if (key != key_) aside_.push_back(std::move(found));
    return false;
  }
  failure_.emplace(std::move(found));
  key_ = std::move(key);
  reducer_.begin(segments_of(failure_->execution));
  budget_s_ = options_.minimize_s > 0 ? options_.minimize_s : std::clamp(seconds_spent / 4, 1.0, kMostSeconds);
  until_.reset();
  out_ = false;
  return false;
}

bool Reduction::go_on() {
  if (!any() || out_) return false;
  auto plan = next();
  if (!plan) return finish();
  out_ = true;
  executor_.submit(std::move(*plan));
  return false;
}

bool Reduction::finish() {
  if (!any()) return false;
  bool ends = false;
  for (Found& found : drop())
    if (!ends) ends = doubts_.judge(std::move(found));
  return ends;
}

std::vector<Found> Reduction::drop() {
  std::vector<Found> all = std::exchange(aside_, {});
  if (failure_) all.insert(all.begin(), std::move(*failure_));
  failure_.reset();
  return all;
}

std::optional<Plan> Reduction::next() {
  const bool is_late = until_ && std::chrono::steady_clock::now() >= *until_;
  if (is_late || failure_->execution.end.preemptions == 0) return {};
  const auto segments = reducer_.next();
  if (!segments) return {};
  Plan plan;
  plan.id = kReductionFlag | ++plans_;
  plan.fair = failure_->plan.fair;
  plan.slow_threads = failure_->plan.slow_threads;
  plan.max_steps = failure_->execution.end.steps * kLonger + 1'000;
  plan.policy = PolicyKind::Segments;
  for (const Segment& segment : *segments) tell_policy<PolicyKind::Segments>(plan, segment);
  if (!PlanRing::fits(plan)) return {};
  return plan;
}

void Reduction::learn(ExecutionFinished& event) {
  out_ = false;
  if (!until_) {
    const std::chrono::duration<double> budget(budget_s_);
    until_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(budget);
  }
  const Execution& execution = *event.execution;
  if (!any() || execution.damaged || !event.ended_because.empty()) return;
  if (!(cost_of(execution) < cost_of(failure_->execution))) return;
  const Outcome outcome = classify(execution, options_.ok_exit);
  if (!is_bug(outcome.kind) || bugs_.key_of(outcome, executor_.session().modules()) != key_) return;
  reducer_.take(segments_of(execution));
  const std::uint32_t max_steps = failure_->plan.max_steps;
  failure_->plan = std::move(event.plan);
  failure_->plan.max_steps = max_steps;
  failure_->execution = execution;
  failure_->outcome = outcome;
  failure_->modules = executor_.session().modules();
  failure_->config = executor_.session().config();
}

}  // namespace heddle
