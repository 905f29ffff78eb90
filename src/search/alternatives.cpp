// See alternatives.h.
#include "search/alternatives.h"

#include <algorithm>
#include <utility>

namespace heddle {

const std::vector<Alternatives::Alternative>& Alternatives::find(const ExecutionOrder& order, std::uint32_t first) {
  const Execution& execution = *order.execution;
  found_.clear();
  find_variants(order, first);
  find_timeouts(execution, first);
  find_disarmed(execution, first);
  return found_;
}

// The other alternatives of an operation: of each, variant 0 is taken first.
void Alternatives::find_variants(const ExecutionOrder& order, std::uint32_t first) {
  const auto& steps = order.execution->steps;
  const auto has_others = [](const StepRecord& made) { return made.variant == 0 && made.variants > 1; };
  if (std::none_of(steps.begin() + first, steps.end(), has_others)) return;
  late_.read(order);
  for (std::uint32_t step = first; step < steps.size(); ++step) {
    if (!has_others(steps[step])) continue;
    for (Variant variant = 1; variant < steps[step].variants; ++variant)
      if (late_.shows_more(step, variant)) found_.push_back({step, {steps[step].task, variant}});
  }
}

// Where no timeout fires early and only timeouts could go on, each of them could have been the first.
void Alternatives::find_timeouts(const Execution& execution, std::uint32_t first) {
  const auto only_timeouts = [](const StepRecord& step) { return (step.flags & StepFlags::NothingEnabled) != 0; };
  if (early_timeouts_) return;
  if (std::none_of(execution.steps.begin() + first, execution.steps.end(), only_timeouts)) return;
  cursor_.restart(execution, first);
  for (std::uint32_t step = first; step < execution.steps.size(); ++step) {
    cursor_.advance_to(step);
    if (!only_timeouts(execution.steps[step])) continue;
    for (std::uint32_t i = 0; i < cursor_.task_count(); ++i) {
      const auto task = static_cast<TaskId>(i);
      if (task != execution.steps[step].task && (cursor_.state(task) & TaskState::Timeout) != 0)
        found_.push_back({step, {task, 0}});
    }
  }
}

// A timer that is disarmed or deleted before it expires leaves no step that could race with that: it could have expired
// just before. How much earlier still follows from the races of that execution.
void Alternatives::find_disarmed(const Execution& execution, std::uint32_t first) {
  constexpr std::uint8_t kMayExpire = TaskState::Timeout | TaskState::Enabled;
  const auto is_timer = [](const TaskRecord& task) { return task.task != 0 && task.entry == 0; };
  if (std::none_of(execution.tasks.begin(), execution.tasks.end(), is_timer)) return;
  std::vector<std::uint8_t> states(execution.tasks.size());
  for (const StateChange& change : execution.changes) {
    if (change.task >= states.size() || !is_timer(execution.tasks[change.task])) continue;
    const bool could = (std::exchange(states[change.task], change.state) & kMayExpire) != 0;
    if (!could || (change.state & kMayExpire) != 0 || change.step <= first) continue;
    const std::uint32_t step = change.step - 1;
    if (execution.steps[step].task != change.task) found_.push_back({step, {change.task, 0}});
  }
}

}  // namespace heddle
