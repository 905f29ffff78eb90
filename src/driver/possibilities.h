// What an execution shows of what could have happened otherwise, for the report: it says what a search left out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/execution.h"

namespace heddle {

// What the states of the tasks say of an execution, from a change on.
struct StatesSeen {
  bool held_back = false, could_time_out = false;
};
inline StatesSeen states_seen(const Execution& execution, std::uint32_t first) {
  StatesSeen seen;
  for (std::size_t at = first; at < execution.changes.size(); ++at) {
    const std::uint8_t state = execution.changes[at].state;
    seen.held_back |= (state & (TaskState::Enabled | TaskState::Eligible)) == TaskState::Enabled;
    seen.could_time_out |= (state & TaskState::Timeout) != 0;
  }
  return seen;
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
