// Where an execution did not go on as it would have by default: there the schedule, and not the program, decided
// (docs/ARCHITECTURE.md says what the default is).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/execution.h"

namespace heddle {

struct ScheduleDeviation {
  std::uint32_t step = 0;
  Choice choice;                // that was made there
  TaskId by_default = kNoTask;  // who would have taken the step; kNoTask: nobody could go on
};

// Those within the first `steps` steps, at most so many, the first ones first. Of an execution that was run and not
// read from a trace: what each thread could have done is not kept there.
std::vector<ScheduleDeviation> deviations_of(const Execution& execution, std::size_t steps, std::size_t most);

// "preemption", "switch", "timeout", "slow thread", "spurious wake-up", "stop" behind a release, or "alternative":
// another outcome of the operation, such as another waiter that is woken.
const char* kind_of(const ScheduleDeviation& deviation, const StepRecord& step);

}  // namespace heddle
