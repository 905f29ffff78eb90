// What should have been one piece and was not: another thread came between two critical sections or two accesses. Only
// preemptions are looked at: the schedule of a bug has none that it can do without.
#include <vector>

#include "analysis/held_locks.h"
#include "analysis/interpreter_lock.h"
#include "protocol/scripts.h"
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

bool is_of_hanging(OutcomeKind kind) {
  return kind == OutcomeKind::Deadlock || kind == OutcomeKind::Livelock || kind == OutcomeKind::GoodSamaritan;
}

// Does the thread that comes to a line by this step find a lock taken there? Then it has changed nothing. Locks of
// scripts are tried first, and waited for then.
bool is_stopped_by_lock(const Execution& execution, std::size_t line, std::size_t end, ObjectId interpreter) {
  for (std::size_t i = line + 1; i < end; ++i) {
    const StepRecord& step = execution.steps[i];
    if (step.task != execution.steps[line].task) continue;
    if (step.object == interpreter && takes_lock(step)) return false;  // it comes to the next line
    const bool tries =
        step.operation == OperationKind::SemaphoreTryWait || step.operation == OperationKind::MutexTryLock;
    if (tries && (step.flags & StepFlags::Wrote) == 0) return true;
  }
  return false;
}

// A script's thread stops between two of its lines, and another one runs lines of its own.
Prose two_lines(const PatternInput& input, const Interruption& interruption) {
  const Execution& execution = input.execution;
  const StepRecord& again = execution.steps[interruption.goes_on];
  if (again.object == kNoObject || again.object != interpreter_lock(execution)) return {};
  const auto runs = [&](const StepRecord& step) {
    return takes_lock(step) && step.object == again.object && is_in_script(step.site);
  };
  const auto first = last_of(execution, interruption.task, interruption.goes_on, runs);
  if (!first || !runs(again)) return {};
  // Most likely it is the same code that comes in between.
  const auto same = [&](const StepRecord& step) {
    return runs(step) && (step.site == again.site || step.site == execution.steps[*first].site);
  };
  auto other = between(execution, interruption, same);
  if (!other) other = between(execution, interruption, runs);
  if (!other || is_stopped_by_lock(execution, *other, interruption.goes_on, again.object)) return {};
  const Span task = input.names.task(interruption.task);
  return prose("{} runs {} and goes on {}. In between, {} runs {}: what {} knew may be out of date.", task,
               at_step(input, *first), at_step(input, interruption.goes_on),
               input.names.task(execution.steps[*other].task), at_step(input, *other), task);
}

// The thread gives a lock back and takes it again, and another one has taken it meanwhile.
Prose two_sections(const PatternInput& input, const Interruption& interruption) {
  const Execution& execution = input.execution;
  const StepRecord& again = execution.steps[interruption.goes_on];
  if (!takes_lock(again) || again.operation == OperationKind::MutexReacquire) return {};
  if (again.object == interpreter_lock(execution)) return {};
  // Another reader disturbs nobody.
  const auto other = between(execution, interruption, [&](const StepRecord& step) {
    return takes_lock(step) && step.object == again.object && step.operation != OperationKind::ReadLock &&
           step.operation != OperationKind::TryReadLock;
  });
  if (!other) return {};
  const auto released = last_of(execution, interruption.task, interruption.goes_on,
                                [&](const StepRecord& step) { return released_lock(step) == again.object; });
  if (!released) return {};
  const Span task = input.names.task(interruption.task), lock = input.names.object(again.object);
  return prose("{} unlocks {} {} and locks it again {}. In between, {} locks it {}: what {} knew may be out of date.",
               task, lock, at_step(input, *released), at_step(input, interruption.goes_on),
               input.names.task(execution.steps[*other].task), at_step(input, *other), task);
}

// An object is a few bytes, which may be several variables.
bool of_one_variable(const StepRecord& step, const StepRecord& other) {
  return is_of_memory(step) && step.object == other.object && offset_of(step) == offset_of(other);
}

// The thread accesses a variable twice, and another one writes it in between.
Prose two_accesses(const PatternInput& input, const Interruption& interruption) {
  const Execution& execution = input.execution;
  const StepRecord& second = execution.steps[interruption.goes_on];
  // A compare-and-exchange looks itself whether another one has come in between.
  if (!is_of_memory(second) || second.operation == OperationKind::AtomicCompareExchange) return {};
  const auto of_it = [&](const StepRecord& step) { return of_one_variable(step, second); };
  const auto other =
      between(execution, interruption, [&](const StepRecord& step) { return of_it(step) && writes(step); });
  if (!other) return {};
  const auto first = last_of(execution, interruption.task, interruption.goes_on, of_it);
  if (!first || writes(execution.steps[*first])) return {};
  return prose("{} reads {} {} and {} it {}. In between, {} writes it {}.", input.names.task(interruption.task),
               input.names.accessed(execution.steps[*first]), at_step(input, *first),
               writes(second) ? "writes" : "reads", at_step(input, interruption.goes_on),
               input.names.task(execution.steps[*other].task), at_step(input, *other));
}

// Unknown values may be equal.
bool may_hold_the_same(const StepRecord& one, const StepRecord& other) {
  return one.result == other.result || one.result == INT32_MIN || other.result == INT32_MIN;
}

}  // namespace

Prose atomicity_violation(const PatternInput& input) {
  if (is_of_hanging(input.kind) || is_of_accesses(input.kind)) return {};
  for (const Interruption& interruption : interruptions(input.execution))
    for (const auto& recognize : {two_accesses, two_sections, two_lines})
      if (Prose text = recognize(input, interruption); !text.empty()) return text;
  return {};
}

// Others have written the variable twice, at least, since the thread read it, the last time what it had read. Its
// exchange succeeds.
Prose aba(const PatternInput& input) {
  const Execution& execution = input.execution;
  if (is_of_hanging(input.kind) || is_of_accesses(input.kind)) return {};
  for (const Interruption& interruption : interruptions(execution)) {
    const StepRecord& exchange = execution.steps[interruption.goes_on];
    if (exchange.operation != OperationKind::AtomicCompareExchange || !writes(exchange)) continue;
    std::vector<std::size_t> written;
    for (std::size_t i = interruption.preempted; i < interruption.goes_on; ++i)
      if (of_one_variable(execution.steps[i], exchange) && writes(execution.steps[i])) written.push_back(i);
    if (written.size() < 2) continue;
    const auto read = last_of(execution, interruption.task, interruption.goes_on,
                              [&](const StepRecord& step) { return of_one_variable(step, exchange); });
    if (!read || writes(execution.steps[*read]) ||
        !may_hold_the_same(execution.steps[*read], execution.steps[written.back()]))
      continue;
    const Span task = input.names.task(interruption.task);
    return prose(
        "{} reads {} {}. Others change it {} and change it back {}. So the compare-and-exchange of {} {} "
        "succeeds, although what it read is out of date.",
        task, input.names.accessed(execution.steps[*read]), at_step(input, *read), at_step(input, written.front()),
        at_step(input, written.back()), task, at_step(input, interruption.goes_on));
  }
  return {};
}

}  // namespace heddle::patterns
