// Threads that come too early, or never get their turn.
#include <algorithm>
#include <map>
#include <set>

#include "analysis/held_locks.h"
#include "analysis/outcome.h"
#include "report/patterns/patterns.h"

namespace heddle::patterns {
namespace {

bool is_of_memory(OperationKind operation) { return object_kind(operation) == ObjectKind::Memory; }

bool is_write(OperationKind operation) {
  return operation == OperationKind::MemoryWrite || operation == OperationKind::AtomicStore;
}

bool is_failure(OutcomeKind kind) {
  return kind == OutcomeKind::Crash || kind == OutcomeKind::Assertion || kind == OutcomeKind::Exception ||
         kind == OutcomeKind::Exit;
}

// An object is a few bytes, which may be several variables.
template <typename Record>
bool of_one_variable(const StepRecord& step, const Record& other) {
  return is_of_memory(other.operation) && other.object == step.object && offset_of(other) == offset_of(step);
}

// The same lock, or the same variable.
bool of_one_thing(const StepRecord& step, const StepRecord& other) {
  return is_of_memory(step.operation) ? of_one_variable(step, other)
                                      : step.object == other.object && !is_of_memory(other.operation);
}

// What a thread has tried for in a loop, and whether it ever got on.
struct Attempts {
  std::size_t first = 0;   // the step of an attempt
  std::size_t failed = 0;  // attempts
  bool goes_on = false;    // it has done something else than look, and let others go first
};

bool fails_to_take(const StepRecord& step) {
  switch (step.operation) {
    case OperationKind::MutexTryLock:
    case OperationKind::SpinTryLock:
    case OperationKind::TryReadLock:
    case OperationKind::TryWriteLock:
      return step.result != 0;
    case OperationKind::AtomicCompareExchange:
      return (step.flags & StepFlags::Wrote) == 0;
    default:
      return false;
  }
}

bool only_looks(const StepRecord& step) {
  return step.operation == OperationKind::AtomicLoad || step.operation == OperationKind::MemoryRead ||
         step.operation == OperationKind::Yield || step.operation == OperationKind::Sleep ||
         step.operation == OperationKind::ClockRead;
}

// Does the step take what fails_to_take() does not get?
bool takes(const StepRecord& step) {
  return takes_lock(step) ||
         ((step.operation == OperationKind::AtomicCompareExchange || step.operation == OperationKind::AtomicUpdate) &&
          (step.flags & StepFlags::Wrote) != 0);
}

std::map<TaskId, Attempts> attempts_in(const Execution& execution, std::size_t from) {
  std::map<TaskId, Attempts> result;
  for (std::size_t i = from; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    Attempts& attempts = result[step.task];
    if (fails_to_take(step) && (attempts.failed == 0 || of_one_thing(execution.steps[attempts.first], step))) {
      if (attempts.failed++ == 0) attempts.first = i;
    } else if (!only_looks(step)) {
      attempts.goes_on = true;
    }
  }
  return result;
}

}  // namespace

// The last step of the thread before it failed has found zero where nobody had written, and another thread writes there
// later, or was about to. What it did behind the read may be why it failed.
Prose used_before_set(const PatternInput& input) {
  const Execution& execution = input.execution;
  if (!is_failure(input.kind)) return {};
  const TaskId failed = execution.end.task;
  std::size_t read = execution.steps.size();
  while (read-- > 0)
    if (execution.steps[read].task == failed) break;
  if (read >= execution.steps.size()) return {};
  const StepRecord& look = execution.steps[read];
  const bool looks = look.operation == OperationKind::AtomicLoad || look.operation == OperationKind::MemoryRead;
  if (!looks || look.result != 0) return {};
  const auto sets = [&](const auto& other) {
    return is_write(other.operation) && other.task != failed && of_one_variable(look, other);
  };
  for (std::size_t i = 0; i < read; ++i)
    if (of_one_variable(look, execution.steps[i]) && (execution.steps[i].flags & StepFlags::Wrote) != 0) return {};
  std::string value = input.phrases.value_at(read);
  if (value.empty()) value = "0";
  const Prose uses = prose("{} reads {} {} while it is {}", input.names.task(failed), input.names.accessed(look),
                           at_step(input, read), value);
  for (std::size_t i = read + 1; i < execution.steps.size(); ++i)
    if (sets(execution.steps[i]))
      return prose("{}; {} sets it only later, {}. Nothing makes the one wait for the other.", uses,
                   input.names.task(execution.steps[i].task), at_step(input, i));
  for (std::size_t i = 0; i < execution.pending.size(); ++i)
    if (sets(execution.pending[i]))
      return prose("{}; {} was to set it at {} and had not come to that. Nothing makes the one wait for the other.",
                   uses, input.names.task(execution.pending[i].task), input.names.place_of_pending(i));
  return {};
}

// One thread of a loop fails at each of its attempts to take something, and others take it each time.
Prose starvation(const PatternInput& input) {
  const Execution& execution = input.execution;
  const Loop loop = loop_of(execution);
  if ((input.kind != OutcomeKind::Livelock && input.kind != OutcomeKind::GoodSamaritan) || !loop.proved) return {};
  const std::map<TaskId, Attempts> all = attempts_in(execution, loop.first);
  for (const auto& [task, attempts] : all) {
    if (attempts.failed == 0 || attempts.goes_on) continue;
    const StepRecord& attempt = execution.steps[attempts.first];
    for (std::size_t i = loop.first; i < execution.steps.size(); ++i) {
      const StepRecord& step = execution.steps[i];
      if (step.task == task || !of_one_thing(attempt, step) || !takes(step)) continue;
      const Span what = input.names.accessed(attempt);
      return prose(
          "{} never gets {}: it tries {}, and each time {} has taken it {}. So it goes on for as long as {} "
          "does.",
          input.names.task(task), what, at_step(input, attempts.first), input.names.task(step.task), at_step(input, i),
          input.names.task(step.task));
    }
  }
  return {};
}

}  // namespace heddle::patterns
