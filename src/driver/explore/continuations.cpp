// See continuations.h.
#include "driver/explore/continuations.h"

#include <algorithm>

#include "driver/process/rings.h"

namespace heddle {
namespace {

// From each step. One that fails may take a process of its own. More from the two where the share grows most.
constexpr std::uint32_t kRuns = 12, kRunsOfTheLast = 100;
constexpr std::uint32_t kFewest = 12;  // fewer say nothing
constexpr std::uint32_t kPieces = 8;   // in which a round divides steps
constexpr std::uint32_t kLonger = 4;   // one that takes so many times the steps is cut off, and did not fail

}  // namespace

void Continuations::begin(const Execution& failure, std::size_t steps, const Plan& plan) {
  choices_.clear();
  out_ = 0;
  passing_.reset();
  since_ = std::chrono::steady_clock::now();
  steps = std::min(steps, failure.steps.size());
  for (std::size_t i = 0; i < steps; ++i) choices_.push_back({failure.steps[i].task, failure.steps[i].variant});
  like_.fair = plan.fair;
  like_.slow_threads = plan.slow_threads;
  like_.max_steps = failure.end.steps * kLonger + 1'000;
  curve_ = {{0, 0, 0}, {static_cast<std::uint32_t>(steps), 0, 0}};
  open_.clear();
  begin_round();
}

// Between the two neighbours between which the share grows most; in the beginning, between the first and the last step.
// Where they are next to each other, more of the same.
void Continuations::begin_round() {
  std::size_t widest = 1;
  for (std::size_t i = 2; i < curve_.size(); ++i)
    if (curve_[i].share() - curve_[i - 1].share() > curve_[widest].share() - curve_[widest - 1].share()) widest = i;
  const std::uint32_t first = curve_[widest - 1].steps, steps = curve_[widest].steps - first;
  const std::uint32_t pieces = std::min(steps, kPieces);
  std::vector<Moment::Point> inner;
  for (std::uint32_t i = 1; i < pieces; ++i) inner.push_back({first + steps * i / pieces, 0, 0});
  curve_.insert(curve_.begin() + static_cast<std::ptrdiff_t>(widest), inner.begin(), inner.end());
  open_.clear();
  // The next steps of its thread may decide more than the one that is known by now (trace/moment.h).
  const auto goes_on = [&](std::size_t i) {
    return i > widest && i <= widest + 2 && curve_[i].steps - curve_[widest].steps == i - widest &&
           choices_[curve_[i].steps - 1].task == choices_[curve_[widest].steps - 1].task;
  };
  for (std::size_t i = 0; i < curve_.size(); ++i) {
    const bool is_close = inner.empty() && (i == widest || i + 1 == widest || goes_on(i));
    const std::uint32_t wanted = is_close ? kRunsOfTheLast : kRuns;
    if (curve_[i].runs < wanted) open_.push_back({i, wanted - curve_[i].runs});
  }
}

std::optional<Plan> Continuations::next(double seconds) {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - *since_;
  if (passed.count() >= seconds) return {};
  if (open_.empty() && out_ == 0) begin_round();
  if (open_.empty()) return {};
  Open& open = open_[turn_++ % open_.size()];
  auto plan = make(curve_[open.point].steps, ++seed_);
  if (--open.runs == 0) open_.erase(open_.begin() + (&open - open_.data()));
  if (plan) ++out_;
  return plan;
}

// Nothing: it does not fit.
std::optional<Plan> Continuations::make(std::uint32_t steps, std::uint32_t number) const {
  Plan plan = like_;
  plan.deltas.reserve(steps);
  for (std::uint32_t step = 0; step < steps; ++step) plan.deltas.push_back({step, choices_[step]});
  Walk walk;
  walk.seed = number;
  tell_policy<PolicyKind::Random>(plan, walk);
  if (!PlanRing::fits(plan)) return {};
  return plan;
}

void Continuations::learn(std::uint32_t steps, bool failed, bool passed, const Execution& execution) {
  lose();
  const auto point = std::find_if(curve_.begin(), curve_.end(), [&](const auto& one) { return one.steps == steps; });
  if (point == curve_.end()) return;
  ++point->runs;
  if (failed) ++point->failed;
  if (!passed) return;
  std::uint32_t same = 0;
  const auto all = static_cast<std::uint32_t>(std::min(choices_.size(), execution.steps.size()));
  while (same < all && choices_[same] == Choice{execution.steps[same].task, execution.steps[same].variant}) ++same;
  if (same == all || (passing_ && passing_->step >= same)) return;
  passing_ = Moment::Passing{same, execution.steps[same].task};
}

// One may come back that was handed out before begin(): it counts for nothing.
void Continuations::lose() {
  if (out_ != 0) --out_;
}

Moment Continuations::result() const {
  Moment moment{{}, passing_};
  for (const Moment::Point& point : curve_)
    if (point.runs >= kFewest) moment.curve.push_back(point);
  if (moment.curve.size() < 2) return {};
  return moment;
}

}  // namespace heddle
