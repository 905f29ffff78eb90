// See step_limit.h.
#include "driver/execute/step_limit.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

constexpr double kSeconds = 4;  // what one execution may take by steps as dear as those seen
constexpr double kSecondsForThreads = 10;
constexpr std::uint32_t kTimes = 4;
constexpr std::uint64_t kFirstTry = 256;

bool is_whole(const Execution& execution) {
  const EndKind end = execution.end.end;
  return end != EndKind::StepLimit && end != EndKind::Killed && end != EndKind::Diverged && !execution.damaged;
}

}  // namespace

StepLimit::StepLimit(const RunOptions& options, bool remembers_choices)
    : usual_{options.max_steps, options.max_steps_given ? 0 : kUsualTasks},
      remembers_choices_(remembers_choices),
      state_(options.max_steps_given ? State::Stays : State::Usual) {}

StepLimit::Limits StepLimit::present() const {
  if (state_ == State::Raised) return raised_;
  return low_.steps != 0 ? low_ : usual_;
}

bool StepLimit::reached_tasks(Limits limits, const Execution& execution) {
  return limits.tasks != 0 && execution.end.tasks >= limits.tasks && execution.end.steps < limits.steps;
}

std::optional<StepLimit::Limits> StepLimit::higher(Limits limits, const Execution& execution, double seconds) const {
  if (reached_tasks(limits, execution)) {
    if (limits.tasks >= kMostTasks) return remembers_choices_ ? std::nullopt : std::optional(Limits{limits.steps, 0});
    if (remembers_choices_ && seconds * kTimes > kSecondsForThreads) return {};
    return Limits{limits.steps, std::min(limits.tasks * kTimes, kMostTasks)};
  }
  if (limits.steps > usual_.steps) return {};
  const double times = std::min(kSeconds / std::max(seconds, 0.001), double{kMost} / usual_.steps);
  if (times < 2) return {};
  return Limits{static_cast<std::uint32_t>(times * usual_.steps), limits.tasks};
}

// The one that was tried has come.
std::optional<StepLimit::Limits> StepLimit::after_try(Limits limits, const Execution& execution, double seconds) {
  const bool was_low = low_.steps != 0;
  if (is_whole(execution)) {
    tried_ = 0;
    fell_too_far_ = was_low;
    state_ = was_low ? State::Low : State::Raised;
    if (!was_low) raised_ = {limits.steps, 0};  // the program does end: any number of threads
    return {};
  }
  if (execution.end.end == EndKind::StepLimit && !was_low)
    if (const auto next = higher(limits, execution, seconds)) return next;
  lose(tried_);
  return present();
}

bool StepLimit::tries_now(double seconds) {
  if (++cut_off_ < next_try_) return false;
  next_try_ = cut_off_ * kTimes;
  return seconds * usual_.steps / low_.steps <= kSeconds;
}

std::optional<StepLimit::Limits> StepLimit::again(const Plan& plan, const Execution& execution, double seconds) {
  const Limits limits = plan.max_steps == 0 ? usual_ : Limits{plan.max_steps, plan.max_tasks};
  if (state_ == State::Tries && plan.id == tried_) return after_try(limits, execution, seconds);
  if (execution.end.end != EndKind::StepLimit) return {};
  if (state_ == State::Raised) return limits != raised_ ? std::optional(raised_) : std::nullopt;
  if (low_.steps != 0) {
    if (state_ != State::Low || fell_too_far_ || !tries_now(seconds)) return {};
    state_ = State::Tries;
    tried_ = plan.id;
    return usual_;
  }
  if (state_ == State::Tries) return usual_;  // what comes of the one that is tried decides
  if (state_ != State::Usual) return {};
  const auto next = higher(limits, execution, seconds);
  if (!next) return {};
  state_ = State::Tries;
  tried_ = plan.id;
  return next;
}

void StepLimit::lose(PlanId plan) {
  if (state_ != State::Tries || plan != tried_) return;
  state_ = low_.steps != 0 ? State::Low : State::InVain;
  tried_ = 0;
}

void StepLimit::restart() {
  if (state_ != State::Stays && state_ != State::Raised) state_ = State::Usual;
  low_ = {};
  tried_ = 0;
  falls_next_ = fell_too_far_ = false;
}

void StepLimit::fall() {
  restart();
  low_ = {std::min(kLowSteps, usual_.steps), kLowTasks};
  state_ = State::Low;
  cut_off_ = 0;
  next_try_ = kFirstTry;
}

void StepLimit::grow() {
  const Limits low = std::exchange(low_, {});
  restart();
  state_ = State::Grown;
  if (low.steps >= usual_.steps / kTimes) return;
  low_ = {low.steps * kTimes, std::min(low.tasks * kTimes, usual_.tasks)};
  state_ = State::Low;
  cut_off_ = 0;
  next_try_ = kFirstTry;
}

}  // namespace heddle
