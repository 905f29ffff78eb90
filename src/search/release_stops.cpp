// See release_stops.h.
#include "search/release_stops.h"

namespace heddle {

void ReleaseStops::restart() {
  looked_at_ = waiting_ = 0;
  stops_.clear();
  returns_.clear();
}

Site ReleaseStops::next_site(const Execution& execution, std::uint32_t step) {
  const TaskId task = execution.steps[step].task;
  for (std::size_t next = step + std::size_t{1}; next < execution.steps.size(); ++next)
    if (execution.steps[next].task == task) return execution.steps[next].site;
  return 0;
}

bool ReleaseStops::has_stop(const Deviations& nodes, Deviations::Id node) const {
  if (waiting_ == 0) return false;
  for (; node != Deviations::kNone && nodes[node].step != Deviations::kRootStep; node = nodes[node].parent)
    if (nodes[node].choice.variant == kStop) return true;
  return false;
}

void ReleaseStops::add_stops(const Execution& execution, const Frontier::Outstanding& outstanding, std::uint32_t first,
                             std::uint32_t end, Frontier& frontier) {
  if (!active()) return;
  ++looked_at_;
  for (std::uint32_t step = first; step < end; ++step) {
    const StepRecord& made = execution.steps[step];
    if (!is_release(made.operation) || (made.flags & (StepFlags::Refused | StepFlags::Unpreemptible)) != 0) continue;
    const auto [place, added] = stops_.try_emplace({made.site, next_site(execution, step)}, 0);
    if (added && !options_.may_stop(made.site)) place->second = options_.at_each_place;
    if (place->second == options_.at_each_place) continue;
    ++place->second;
    ++waiting_;
    frontier.push(outstanding.node, step, {made.task, kStop}, outstanding.bound + 1, Purpose::Search, kLastOfAll);
  }
}

void ReleaseStops::add_returns(const Execution& execution, const Frontier::Outstanding& outstanding, unsigned most,
                               Frontier& frontier) {
  --waiting_;
  const Deviations::Node stop = frontier.nodes()[outstanding.node];
  if (stop.choice.variant != kStop || stop.step >= execution.steps.size()) return;
  std::uint32_t& returns = returns_[{execution.steps[stop.step].site, next_site(execution, stop.step)}];
  const TaskId stopped = stop.choice.task;
  cursor_.restart(execution, stop.step + 1);
  for (std::uint32_t step = stop.step + 1; step < execution.steps.size(); ++step) {
    const StepRecord& made = execution.steps[step];
    if (made.task == stopped || returns == kReturns * options_.at_each_place) return;
    cursor_.advance_to(step);
    if ((cursor_.state(stopped) & TaskState::Eligible) == 0) continue;
    const unsigned preemptions = outstanding.bound + ((made.flags & StepFlags::SwitchCosts) != 0 ? 1 : 0);
    if (preemptions > most) continue;
    ++returns;
    ++waiting_;
    frontier.push(outstanding.node, step, {stopped, 0}, preemptions, Purpose::Search, kLastOfAll);
  }
}

}  // namespace heddle
