// What should have been one piece and was not: another thread came between two critical sections or two accesses. Only
// preemptions are looked at: the schedule of a bug has none that it can do without.
#include <algorithm>

#include "analysis/held_locks.h"
#include "report/patterns/patterns.h"

namespace heddle::patterns {
namespace {

// A thread was preempted and went on later.
struct Interruption {
  TaskId task;
  std::size_t preempted;  // the first step of somebody else
  std::size_t goes_on;    // its own next step
};

// The latest first: what came before may have led there only.
std::vector<Interruption> interruptions(const Execution& execution) {
  std::vector<Interruption> result;
  for (std::size_t i = execution.steps.size(); i-- > 1;) {
    const StepRecord& step = execution.steps[i];
    const TaskId before = execution.steps[i - 1].task;
    const bool preempted = (step.flags & StepFlags::Preemption) != 0 || stops(execution.steps[i - 1]);
    if (!preempted || step.task == before) continue;
    std::size_t next = i;
    while (next < execution.steps.size() &&
           (execution.steps[next].task != before || goes_on_behind_release(execution.steps[next])))
      ++next;
    if (next < execution.steps.size()) result.push_back({before, i, next});
  }
  return result;
}

bool is_of_memory(const StepRecord& step) {
  return object_kind(step.operation) == ObjectKind::Memory && step.object != kNoObject;
}

bool writes(const StepRecord& step) { return is_of_memory(step) && (step.flags & StepFlags::Wrote) != 0; }

// A step of another thread between the two that satisfies this.
template <typename Fits>
std::optional<std::size_t> between(const Execution& execution, const Interruption& interruption, Fits fits) {
  for (std::size_t i = interruption.preempted; i < interruption.goes_on; ++i)
    if (execution.steps[i].task != interruption.task && fits(execution.steps[i])) return i;
  return {};
}

// The thread's last step before `end` that satisfies this.
template <typename Fits>
std::optional<std::size_t> last_of(const Execution& execution, TaskId task, std::size_t end, Fits fits) {
  while (end-- > 0)
    if (execution.steps[end].task == task && fits(execution.steps[end])) return end;
  return {};
}

Prose where(const PatternInput& input, std::size_t step) {
  return prose("{} (step {})", input.names.places().name_of_step(step), step_span(step));
}

bool is_of_hanging(OutcomeKind kind) {
  return kind == OutcomeKind::Deadlock || kind == OutcomeKind::Livelock || kind == OutcomeKind::GoodSamaritan;
}

// The thread gives a lock back and takes it again, and another one has taken it meanwhile.
Prose two_sections(const PatternInput& input, const Interruption& interruption) {
  const Execution& execution = input.execution;
  const StepRecord& again = execution.steps[interruption.goes_on];
  if (!takes_lock(again) || again.operation == OperationKind::MutexReacquire) return {};
  const auto released = last_of(execution, interruption.task, interruption.goes_on,
                                [&](const StepRecord& step) { return released_lock(step) == again.object; });
  const auto other = between(execution, interruption,
                             [&](const StepRecord& step) { return takes_lock(step) && step.object == again.object; });
  if (!released || !other) return {};
  const Span lock = input.names.object(again.object);
  return prose(
      "{} unlocks {} at {} and locks it again at {}. In between, {} locks it at {}: what {} knew may not hold "
      "any more.",
      input.names.task(interruption.task), lock, where(input, *released), where(input, interruption.goes_on),
      input.names.task(execution.steps[*other].task), where(input, *other), input.names.task(interruption.task));
}

// The thread accesses a variable twice, and another one writes it in between.
Prose two_accesses(const PatternInput& input, const Interruption& interruption) {
  const Execution& execution = input.execution;
  const StepRecord& second = execution.steps[interruption.goes_on];
  // A compare-and-exchange looks itself whether another one has come in between.
  if (!is_of_memory(second) || second.operation == OperationKind::AtomicCompareExchange) return {};
  const auto of_it = [&](const StepRecord& step) { return is_of_memory(step) && step.object == second.object; };
  const auto first = last_of(execution, interruption.task, interruption.goes_on, of_it);
  const auto other =
      between(execution, interruption, [&](const StepRecord& step) { return of_it(step) && writes(step); });
  if (!first || !other || writes(execution.steps[*first])) return {};
  return prose("{} reads {} at {} and {} it at {}. In between, {} writes it at {}.",
               input.names.task(interruption.task), input.names.accessed(execution.steps[*first]), where(input, *first),
               writes(second) ? "writes" : "reads", where(input, interruption.goes_on),
               input.names.task(execution.steps[*other].task), where(input, *other));
}

}  // namespace

Prose atomicity_violation(const PatternInput& input) {
  if (is_of_hanging(input.kind) || is_of_accesses(input.kind)) return {};
  for (const Interruption& interruption : interruptions(input.execution))
    for (const auto& recognize : {two_accesses, two_sections})
      if (Prose text = recognize(input, interruption); !text.empty()) return text;
  return {};
}

// Others have written the variable twice, at least, since the thread read it, and its exchange succeeds: what it
// compares with is what it had read.
Prose aba(const PatternInput& input) {
  const Execution& execution = input.execution;
  for (const Interruption& interruption : interruptions(execution)) {
    const auto exchange = [&](const StepRecord& step) {
      return step.operation == OperationKind::AtomicCompareExchange && writes(step);
    };
    if (!exchange(execution.steps[interruption.goes_on])) continue;
    const ObjectId object = execution.steps[interruption.goes_on].object;
    const auto of_it = [&](const StepRecord& step) { return is_of_memory(step) && step.object == object; };
    const auto read = last_of(execution, interruption.task, interruption.goes_on, of_it);
    if (!read || writes(execution.steps[*read])) continue;
    const auto wrote = [&](const StepRecord& step) { return of_it(step) && writes(step); };
    const auto first = between(execution, interruption, wrote);
    const auto last = !first ? first : between(execution, {interruption.task, *first + 1, interruption.goes_on}, wrote);
    if (!last) continue;
    return prose(
        "{} reads {} at {}. Then others change it, from {} on, and change it back. So the compare-and-exchange "
        "of {} at {} succeeds although what it read is out of date.",
        input.names.task(interruption.task), input.names.accessed(execution.steps[*read]), where(input, *read),
        where(input, *first), input.names.task(interruption.task), where(input, interruption.goes_on));
  }
  return {};
}

}  // namespace heddle::patterns
