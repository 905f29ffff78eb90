// What else could have happened in an execution: a task was held back, a wait could have timed out, another waiter
// could have been woken. By this the report says what a search left out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/execution.h"

namespace heddle {

// Was a task held back, though it could have gone on? Could a wait have ended by its deadline?
inline bool holds_back(const Execution& execution) {
  constexpr std::uint64_t kHeldBack = states_with(TaskState::Enabled, TaskState::Eligible);
  return (execution.states_seen & kHeldBack) != 0;
}
inline bool could_time_out(const Execution& execution) {
  return (execution.states_seen & states_with(TaskState::Timeout)) != 0;
}

// Is a waiter chosen, among several, from a step on?
inline bool chooses_a_waiter(const Execution& execution, std::uint32_t first) {
  return std::any_of(execution.steps.begin() + first, execution.steps.end(), [](const StepRecord& step) {
    if (step.variants <= 1) return false;
    const ObjectKind kind = object_kind(step.operation);
    return kind == ObjectKind::Condition || kind == ObjectKind::Futex;
  });
}

}  // namespace heddle
