// Deadlocks on condition variables: what became of the signals.
#include <algorithm>

#include "analysis/held_locks.h"
#include "analysis/waiting.h"
#include "report/patterns/patterns.h"

namespace heddle::patterns {
namespace {

// A thread that waits on a condition variable for ever.
struct Waiter {
  std::size_t pending;  // its entry of Execution::pending
  TaskId task;
  ObjectId condition;
  std::size_t began;   // the step in which it began to wait
  std::size_t locked;  // the one in which it had locked the mutex for that; `began` where that is not known
};

bool is_signal(const StepRecord& step) {
  return step.operation == OperationKind::ConditionSignal || step.operation == OperationKind::ConditionBroadcast;
}

std::vector<Waiter> waiters(const PatternInput& input) {
  const Execution& execution = input.execution;
  std::vector<Waiter> result;
  if (input.kind != OutcomeKind::Deadlock) return result;
  for (std::size_t i = 0; i < execution.pending.size(); ++i) {
    const PendingRecord& pending = execution.pending[i];
    if (pending.operation != OperationKind::ConditionWake || !is_blocked(pending)) continue;
    std::size_t began = execution.steps.size();
    while (began > 0 && (execution.steps[began - 1].task != pending.task ||
                         execution.steps[began - 1].operation != OperationKind::ConditionWait))
      --began;
    if (began-- == 0) continue;
    std::size_t locked = began;
    while (locked > 0 &&
           (execution.steps[locked - 1].task != pending.task || !takes_lock(execution.steps[locked - 1]) ||
            execution.steps[locked - 1].object != execution.steps[began].object2))
      --locked;
    result.push_back({i, pending.task, pending.object, began, locked == 0 ? began : locked - 1});
  }
  return result;
}

// The last signal or broadcast on the condition variable; nothing: there was none.
std::optional<std::size_t> last_signal(const Execution& execution, ObjectId condition) {
  for (std::size_t i = execution.steps.size(); i-- > 0;)
    if (is_signal(execution.steps[i]) && execution.steps[i].object == condition) return i;
  return {};
}

const char* verb(const StepRecord& signal) {
  return signal.operation == OperationKind::ConditionSignal ? "signals" : "broadcasts";
}

Prose at_step(const PatternInput& input, std::size_t step) {
  return prose("at {} (step {})", input.names.places().name_of_step(step), step_span(step));
}

}  // namespace

Prose lost_wakeup(const PatternInput& input) {
  for (const Waiter& waiter : waiters(input))
    for (std::size_t i = waiter.locked + 1; i < waiter.began; ++i) {
      const StepRecord& step = input.execution.steps[i];
      if (!is_signal(step) || step.object != waiter.condition || step.task == waiter.task || !input.phrases.in_vain(i))
        continue;
      const Span mutex = input.names.object(input.execution.steps[waiter.began].object2);
      return prose(
          "{} {} {} {} without holding {}. {} has locked {} and checked by then, and waits only {}: the "
          "signal reaches nobody.",
          input.names.task(step.task), verb(step), input.names.object(step.object), at_step(input, i), mutex,
          input.names.task(waiter.task), mutex, at_step(input, waiter.began));
    }
  return {};
}

Prose signal_before_wait(const PatternInput& input) {
  for (const Waiter& waiter : waiters(input)) {
    const auto last = last_signal(input.execution, waiter.condition);
    if (!last || *last >= waiter.began || !input.phrases.in_vain(*last)) continue;
    const StepRecord& step = input.execution.steps[*last];
    return prose("{} {} {} {} while nobody waits. {} begins to wait {}, and no signal comes after that.",
                 input.names.task(step.task), verb(step), input.names.object(step.object), at_step(input, *last),
                 input.names.task(waiter.task), at_step(input, waiter.began));
  }
  return {};
}

Prose wrong_waiter_woken(const PatternInput& input) {
  const std::vector<Waiter> all = waiters(input);
  for (const Waiter& waiter : all) {
    const auto last = last_signal(input.execution, waiter.condition);
    if (!last || *last < waiter.began || input.execution.steps[*last].operation != OperationKind::ConditionSignal)
      continue;
    const std::vector<TaskId>& woken = input.phrases.woken_by(*last);
    const auto again = std::find_if(all.begin(), all.end(), [&](const Waiter& other) {
      return other.condition == waiter.condition && other.task != waiter.task && other.began > *last &&
             std::find(woken.begin(), woken.end(), other.task) != woken.end();
    });
    if (again == all.end()) continue;
    const StepRecord& step = input.execution.steps[*last];
    return prose("{} signals {} {}. That wakes {}, which waits again {}, and not {}, which waits on it too.",
                 input.names.task(step.task), input.names.object(step.object), at_step(input, *last),
                 input.names.task(again->task), at_step(input, again->began), input.names.task(waiter.task));
  }
  return {};
}

Prose never_signalled(const PatternInput& input) {
  for (const Waiter& waiter : waiters(input))
    if (!last_signal(input.execution, waiter.condition))
      return prose("{} waits on {} {}, and no thread signals it at any time.", input.names.task(waiter.task),
                   input.names.object(waiter.condition), at_step(input, waiter.began));
  return {};
}

}  // namespace heddle::patterns
