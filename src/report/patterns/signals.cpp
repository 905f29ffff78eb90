// Deadlocks on condition variables: what became of the signals.
#include <algorithm>
#include <map>

#include "analysis/held_locks.h"
#include "analysis/waiting.h"
#include "report/patterns/patterns.h"

namespace heddle::patterns {
namespace {

// A thread that waits on a condition variable for ever.
struct Waiter {
  TaskId task;
  ObjectId condition;
  std::size_t began;   // the step in which it began to wait
  std::size_t locked;  // the one in which it had locked the mutex for that; `began` where that is not known
};

bool is_signal(const StepRecord& step) {
  return step.operation == OperationKind::ConditionSignal || step.operation == OperationKind::ConditionBroadcast;
}

// Nobody, where a thread stands still for another reason: then signals are not what is missing.
std::vector<Waiter> waiters(const PatternInput& input) {
  const Execution& execution = input.execution;
  std::vector<Waiter> result;
  if (input.kind != OutcomeKind::Deadlock) return result;
  for (const PendingRecord& pending : execution.pending)
    if (is_blocked(pending) && pending.operation != OperationKind::ConditionWake &&
        pending.operation != OperationKind::ThreadJoin)
      return result;
  std::map<std::pair<TaskId, ObjectId>, std::size_t> locked;    // the thread's last step that took it
  std::map<TaskId, std::pair<std::size_t, std::size_t>> waits;  // began, and had locked the mutex for that
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    if (takes_lock(step)) locked[{step.task, step.object}] = i;
    if (step.operation != OperationKind::ConditionWait) continue;
    const auto taken = locked.find({step.task, step.object2});
    waits[step.task] = {i, taken == locked.end() ? i : taken->second};
  }
  for (const PendingRecord& pending : execution.pending) {
    const auto wait = waits.find(pending.task);
    if (pending.operation == OperationKind::ConditionWake && is_blocked(pending) && wait != waits.end())
      result.push_back({pending.task, pending.object, wait->second.first, wait->second.second});
  }
  return result;
}

// The last signal or broadcast on each condition variable.
std::map<ObjectId, std::size_t> last_signals(const Execution& execution) {
  std::map<ObjectId, std::size_t> result;
  for (std::size_t i = 0; i < execution.steps.size(); ++i)
    if (is_signal(execution.steps[i])) result[execution.steps[i].object] = i;
  return result;
}

// Does the thread do nothing but look between the two steps, whatever woke it?
bool only_looks(const Execution& execution, TaskId task, std::size_t after, std::size_t before) {
  for (std::size_t i = after + 1; i < before; ++i) {
    const StepRecord& step = execution.steps[i];
    const bool looks = step.operation == OperationKind::MutexReacquire ||
                       step.operation == OperationKind::ConditionWake ||
                       (object_kind(step.operation) == ObjectKind::Memory && (step.flags & StepFlags::Wrote) == 0);
    if (step.task == task && !looks) return false;
  }
  return true;
}

const char* verb(const StepRecord& signal) {
  return signal.operation == OperationKind::ConditionSignal ? "signals" : "broadcasts";
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
          "{} {} {} {} without holding {}. {} has locked {} by then and waits only {}: the signal "
          "reaches nobody.",
          input.names.task(step.task), verb(step), input.names.object(step.object), at_step(input, i), mutex,
          input.names.task(waiter.task), mutex, at_step(input, waiter.began));
    }
  return {};
}

Prose signal_before_wait(const PatternInput& input) {
  const std::map<ObjectId, std::size_t> signals = last_signals(input.execution);
  for (const Waiter& waiter : waiters(input)) {
    const auto last = signals.find(waiter.condition);
    if (last == signals.end() || last->second >= waiter.began || !input.phrases.in_vain(last->second)) continue;
    const StepRecord& step = input.execution.steps[last->second];
    if (step.task == waiter.task) continue;
    return prose("{} {} {} {} while nobody waits. {} begins to wait {}, and no signal comes after that.",
                 input.names.task(step.task), verb(step), input.names.object(step.object), at_step(input, last->second),
                 input.names.task(waiter.task), at_step(input, waiter.began));
  }
  return {};
}

Prose wrong_waiter_woken(const PatternInput& input) {
  const std::vector<Waiter> all = waiters(input);
  const std::map<ObjectId, std::size_t> signals = last_signals(input.execution);
  for (const Waiter& waiter : all) {
    const auto last = signals.find(waiter.condition);
    if (last == signals.end() || last->second < waiter.began) continue;
    const StepRecord& step = input.execution.steps[last->second];
    if (step.operation != OperationKind::ConditionSignal) continue;
    const std::vector<TaskId>& woken = input.phrases.woken_by(last->second);
    const auto again = std::find_if(all.begin(), all.end(), [&](const Waiter& other) {
      return other.condition == waiter.condition && other.task != waiter.task && other.began > last->second &&
             std::find(woken.begin(), woken.end(), other.task) != woken.end() &&
             only_looks(input.execution, other.task, last->second, other.began);
    });
    if (again == all.end()) continue;
    return prose("{} signals {} {}. That wakes {}, which waits again {}, and not {}, which waits on it too.",
                 input.names.task(step.task), input.names.object(step.object), at_step(input, last->second),
                 input.names.task(again->task), at_step(input, again->began), input.names.task(waiter.task));
  }
  return {};
}

Prose never_signalled(const PatternInput& input) {
  const std::map<ObjectId, std::size_t> signals = last_signals(input.execution);
  for (const Waiter& waiter : waiters(input))
    if (signals.count(waiter.condition) == 0)
      return prose("{} waits on {} {}, and no thread {}.", input.names.task(waiter.task),
                   input.names.object(waiter.condition), at_step(input, waiter.began),
                   is_likely_only(input.execution) ? "has signalled it so far" : "signals it at any time");
  return {};
}

}  // namespace heddle::patterns
