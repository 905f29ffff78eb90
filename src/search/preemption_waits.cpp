// See preemption_waits.h.
#include "search/preemption_waits.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::uint8_t kEndsByItself = TaskState::Timeout | TaskState::Spurious;

}  // namespace

// Which of the new steps, and of what is pending, belong to waits that could have ended by themselves since the task's
// step before.
void PreemptionWaits::read_waits(const Execution& execution, std::uint32_t width) {
  const auto& changes = execution.changes;
  const auto& steps = execution.steps;
  auto change = std::lower_bound(changes.begin(), changes.end(), first,
                                 [](const StateChange& one, std::uint32_t step) { return one.step < step; });
  timed = timed ||
          std::any_of(change, changes.end(), [](const StateChange& one) { return (one.state & kEndsByItself) != 0; });
  if (!timed) return;
  waits_at_end.assign(width, false);
  waited.assign(steps.size() - first, false);
  std::vector<std::uint8_t>& waits = waits_at_end;
  std::vector<std::uint8_t> state(width, 0);
  change = changes.begin();
  Gates gates;
  for (std::uint32_t step = 0; step <= steps.size(); ++step) {
    for (; change != changes.end() && change->step <= step; ++change)
      gates.take(*change, [&](const StateChange& one) {
        state[one.task] = one.state;
        if ((one.state & kEndsByItself) != 0) waits[one.task] = true;
      });
    if (step == steps.size()) return;
    const TaskId task = steps[step].task;
    if (step >= first) waited[step - first] = waits[task];
    waits[task] = (state[task] & kEndsByItself) != 0;
  }
}

// Fairness and costs see a task yield where it is about to: behind its step before.
void PreemptionWaits::read_yields(const Execution& execution, std::uint32_t width) {
  if (!any_yields) return;
  const auto& steps = execution.steps;
  yields_next.assign(steps.size() - first, false);
  std::vector<std::uint8_t>& next = at_end_yields;
  next.assign(width, false);
  for (const PendingRecord& pending : execution.pending) next[pending.task] = yields(pending.operation);
  for (auto step = static_cast<std::uint32_t>(steps.size()); step-- > first;) {
    const bool seen = step + 1 < steps.size() && (steps[step + 1].flags & StepFlags::Yielded) != 0;
    yields_next[step - first] = seen || next[steps[step].task];
    next[steps[step].task] = yields(steps[step].operation);
  }
}

}  // namespace heddle
