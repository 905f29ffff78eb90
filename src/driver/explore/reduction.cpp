// See reduction.h.
#include "driver/explore/reduction.h"

#include <algorithm>

#include "driver/execute/attempts.h"
#include "driver/execute/plan_ids.h"
#include "driver/explore/spin_loops.h"
#include "driver/process/rings.h"

namespace heddle {
namespace {

constexpr std::uint32_t kToTheEnd = UINT32_MAX;  // until its thread has to wait
constexpr double kMostSeconds = 10;         // unless --minimize says otherwise: the search waits, and nothing is kept
constexpr std::size_t kMostSteps = 20'000;  // of a schedule with continuations
constexpr double kMostForContinuations_s = 0.4;

}  // namespace

bool holds_for_all(const Coverage& coverage) {
  return !coverage.regions_kept && !coverage.memory_decides && !coverage.distrusted && !coverage.guided &&
         coverage.lost == 0;
}

ScheduleCost cost_of(const Execution& execution) {
  return {execution.end.preemptions, execution.end.tasks, execution.end.steps};
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

// Is it worth a look when the failure became likely? Of several bugs the first is that is news. No loop is: each
// continuation would go on to the step limit. Nor is a schedule of many steps, in which a plan of as many would be
// dear.
bool Reduction::may_become_likely(const Found& found) const {
  const std::size_t steps = found.execution.steps.size();
  const OutcomeKind kind = found.outcome.kind;
  return options_.minimize_s != 0 && !bugs_.any_new() && steps > 1 && steps <= kMostSteps &&
         kind != OutcomeKind::Livelock && kind != OutcomeKind::GoodSamaritan;
}

bool Reduction::judge(Found&& found, double seconds_spent, int proved) {
  const bool is_smaller_possible = may_be_smaller(found, proved);
  const auto preemptions = static_cast<int>(found.execution.end.preemptions);
  found.origin.needs_them = !is_smaller_possible && preemptions != 0 && proved + 1 >= preemptions;
  if (doubts_.any() || (!any() && !is_smaller_possible && !may_become_likely(found)))
    return doubts_.judge(std::move(found));
  std::string key = bugs_.key_of(found.outcome, found.modules);
  if (bugs_.knows(key)) return false;
  if (any()) {
    if (key == key_) return false;
    aside_.found.push_back(std::move(found));
    return false;
  }
  failure_.emplace(std::move(found));
  key_ = std::move(key);
  omissions_.end();
  continuations_.end();
  reducer_.reset();
  if (is_smaller_possible) reducer_.emplace().begin(segments_of(failure_->execution));
  budget_s_ = options_.minimize_s > 0 ? options_.minimize_s : std::clamp(seconds_spent / 4, 1.0, kMostSeconds);
  pace_ = {};
  saw_races_ = false;
  aside_.keys.clear();
  return false;
}

bool Reduction::go_on() {
  if (!any()) return false;
  // What the reducer tries next depends on what came of the last one.
  const auto side_by_side = [this] {
    return by_preemptions_ != nullptr || omissions_.begun() || continuations_.begun();
  };
  while (side_by_side() ? executor_.can_take() && !has_much_out() : out_ == 0) {
    auto plan = next();
    if (!plan && out_ == 0 && !continuations_.begun() && may_become_likely(*failure_)) {
      begin_next_part();
      continue;
    }
    if (!plan) break;
    ++out_;
    if (!pace_.first_out) pace_.first_out = Clock::now();
    executor_.submit(std::move(*plan));
  }
  return out_ == 0 && finish();
}

// What is out is waited for when the time is over. Where each failure takes a process of its own, a full queue takes
// seconds.
bool Reduction::has_much_out() const {
  constexpr std::size_t kAlways = 4;
  constexpr double kMostOut_s = 0.25;
  if (out_ < kAlways || !pace_.first_out) return false;
  const std::chrono::duration<double> passed = Clock::now() - *pace_.first_out;
  return static_cast<double>(out_) * passed.count() > kMostOut_s * static_cast<double>(pace_.came);
}

bool Reduction::finish() {
  if (!any()) return false;
  if (reducer_)
    failure_->origin.needs_them = failure_->execution.end.preemptions != 0 && failure_->plan.fair && !saw_races_ &&
                                  are_fewest() && holds_for_all(by_preemptions_->coverage());
  failure_->origin.tried = omissions_.result();
  if (continuations_.begun()) failure_->origin.moment = continuations_.result();
  bool ends = false;
  for (Found& found : drop())
    if (!ends) ends = doubts_.judge(std::move(found));
  return ends;
}

std::vector<Found> Reduction::drop() {
  std::vector<Found> all = std::exchange(aside_.found, {});
  if (failure_) all.insert(all.begin(), std::move(*failure_));
  failure_.reset();
  by_preemptions_.reset();
  by_delays_.reset();
  omissions_.end();
  continuations_.end();
  out_ = 0;
  return all;
}

// Has so much of the time passed?
bool Reduction::is_late(double share) const {
  if (!pace_.since) return false;
  const std::chrono::duration<double> passed = Clock::now() - *pace_.since;
  return passed.count() >= budget_s_ * share;
}

// Is it known that no schedule with fewer preemptions fails?
bool Reduction::are_fewest() const {
  if (by_preemptions_ == nullptr) return false;
  const Coverage coverage = by_preemptions_->coverage();
  return coverage.complete || coverage.bound_proved + 1 >= static_cast<int>(failure_->execution.end.preemptions);
}

// Half of the time is for the second part.
std::optional<Plan> Reduction::next() {
  if (continuations_.begun()) return next_of_continuations();
  if (omissions_.begun()) return omissions_.next(kReductionFlag | kOmissionFlag | ++plans_);
  if (!reducer_ || failure_->execution.end.preemptions == 0 || are_fewest()) return {};
  if (by_preemptions_ == nullptr) {
    if (!is_late(0.5))
      if (auto plan = next_of_reducer()) return plan;
    begin_fewer();
  }
  return is_late(1) ? std::nullopt : next_of_fewer();
}

std::optional<Plan> Reduction::next_of_reducer() {
  const auto segments = reducer_->next();
  if (!segments) return {};
  auto plan = plan_of(*segments, failure_->execution, failure_->plan);
  if (plan) plan->id = kReductionFlag | ++plans_;
  return plan;
}

void Reduction::begin_fewer() {
  constexpr PlanId kFewerSearches = PlanId{1} << 18, kPlansOfOne = PlanId{1} << 38;
  plans_ = (plans_ / kPlansOfOne % kFewerSearches + 1) * kPlansOfOne;  // those of an earlier one are not taken for ours
  first_by_delays_ = kReductionFlag | (plans_ + kPlansOfOne / 2);
  const std::uint32_t bound = failure_->execution.end.preemptions - 1;
  by_preemptions_ = make_bounded_("bounded", bound, kReductionFlag | (plans_ + 1));
  by_delays_ = make_bounded_("delay", bound, first_by_delays_);
}

std::optional<Plan> Reduction::next_of_fewer() {
  for (int tried = 0; tried < 2; ++tried) {
    is_turn_of_delays_ = !is_turn_of_delays_;
    Next next = (is_turn_of_delays_ ? by_delays_ : by_preemptions_)->next();
    if (auto* const plan = std::get_if<Plan>(&next)) return std::move(*plan);
  }
  return {};
}

void Reduction::lose(PlanId plan) {
  out_ -= std::min<std::size_t>(out_, 1);
  if (is_continuation(plan)) return continuations_.lose();
  if (is_omission(plan)) return;
  if (by_preemptions_ != nullptr) fewer_of(plan).lost(plan);
}

void Reduction::learn(ExecutionFinished& event) {
  out_ -= std::min<std::size_t>(out_, 1);
  if (!pace_.since) pace_.since = Clock::now();
  ++pace_.came;
  if (!any()) return;
  if (is_continuation(event.plan.id)) return learn_continuation(event);
  if (is_omission(event.plan.id)) return learn_omission(event);
  const Execution& execution = *event.execution;
  const bool is_usable = !execution.damaged && event.ended_because.empty();
  if (by_preemptions_ != nullptr) {
    saw_races_ = saw_races_ || !execution.races.empty();
    const bool is_as_planned = is_usable && followed(event.plan, execution) && execution.end.end != EndKind::StepLimit;
    Strategy& search = fewer_of(event.plan.id);
    is_as_planned ? search.learn(execution) : search.lost(event.plan.id);
    if (!is_as_planned) return;
  }
  if (!is_usable) return;
  const Outcome outcome = classify(execution, options_.ok_exit);
  if (!is_bug(outcome.kind)) return;
  if (bugs_.key_of(outcome, executor_.session().modules()) != key_) return keep_aside(event, outcome);
  if (!(cost_of(execution) < cost_of(failure_->execution))) return;
  reducer_->take(segments_of(execution));
  const std::uint32_t max_steps = failure_->plan.max_steps;
  failure_->plan = std::move(event.plan);
  failure_->plan.max_steps = max_steps;
  failure_->execution = execution;
  failure_->outcome = outcome;
  failure_->modules = executor_.session().modules();
  failure_->config = executor_.session().config();
}

void Reduction::begin_next_part() {
  const Found& found = *failure_;
  const std::size_t steps = steps_needed(found.outcome.kind, found.execution);
  omissions_.begun() ? continuations_.begin(found.execution, steps, found.plan)
                     : omissions_.begin(found.execution, steps, found.plan);
}

// What comes to another bug, or to no end, says nothing of this one.
void Reduction::learn_omission(const ExecutionFinished& event) {
  if (event.execution->damaged || !event.ended_because.empty()) return;
  const Outcome outcome = classify(*event.execution, options_.ok_exit);
  const bool failed = is_bug(outcome.kind) && bugs_.key_of(outcome, executor_.session().modules()) == key_;
  if (failed || outcome.kind == OutcomeKind::Ok) omissions_.learn(event.plan.id, failed);
}

std::optional<Plan> Reduction::next_of_continuations() {
  auto plan = continuations_.next(options_.minimize_s > 0 ? budget_s_ : std::min(budget_s_, kMostForContinuations_s));
  if (plan) plan->id = kReductionFlag | kContinuationFlag | ++plans_;
  return plan;
}

// Another bug that comes up here is left to the search: it is not small.
void Reduction::learn_continuation(const ExecutionFinished& event) {
  const Execution& execution = *event.execution;
  const auto steps = static_cast<std::uint32_t>(event.plan.deltas.size());
  if (execution.damaged || !event.ended_because.empty()) return continuations_.lose();
  const Outcome outcome = classify(execution, options_.ok_exit);
  const bool failed = is_bug(outcome.kind) && bugs_.key_of(outcome, executor_.session().modules()) == key_;
  continuations_.learn(steps, failed, outcome.kind == OutcomeKind::Ok, execution);
}

// Another bug than the one that is made smaller: it is reported behind it. One that a search of ours has come to is as
// small as it gets.
void Reduction::keep_aside(const ExecutionFinished& event, const Outcome& outcome) {
  if (by_preemptions_ == nullptr || SpinLoops::concerns(event.execution->end.end)) return;
  const std::string key = bugs_.key_of(outcome, executor_.session().modules());
  if (bugs_.knows(key) || !aside_.keys.insert(key).second) return;
  Origin origin = failure_->origin;
  origin.preemptions = event.execution->end.preemptions;
  aside_.found.push_back(
      {event.plan, *event.execution, outcome, executor_.session().modules(), executor_.session().config(), origin, {}});
}

}  // namespace heddle
