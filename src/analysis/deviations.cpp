// See deviations.h.
#include "analysis/deviations.h"

#include <algorithm>

namespace heddle {
namespace {

// The thread that ran last if it can go on, else the first one that can; where none can, the one whose time is over
// first.
TaskId default_of(const StateCursor& cursor, TaskId last) {
  const auto has = [&](TaskId task, unsigned bit) { return (cursor.state(task) & bit) != 0; };
  if (has(last, TaskState::Eligible)) return last;
  for (const auto bit : {TaskState::Eligible, TaskState::Earliest})
    for (std::uint32_t task = 0; task < cursor.task_count(); ++task)
      if (has(static_cast<TaskId>(task), bit)) return static_cast<TaskId>(task);
  return kNoTask;
}

}  // namespace

std::vector<ScheduleDeviation> deviations_of(const Execution& execution, std::size_t steps, std::size_t most) {
  std::vector<ScheduleDeviation> result;
  StateCursor cursor(execution);
  TaskId last = 0;
  for (std::size_t i = 0; i < std::min(steps, execution.steps.size()) && result.size() < most; ++i) {
    const StepRecord& step = execution.steps[i];
    cursor.advance_to(static_cast<std::uint32_t>(i));
    const TaskId by_default = default_of(cursor, last);
    const bool is_earliest = step.variant == kTimeout && (step.flags & StepFlags::NothingEnabled) != 0 &&
                             (step.flags & StepFlags::Preemption) == 0;
    const bool as_usual = step.task == by_default && (step.variant == 0 || is_earliest);
    if (!as_usual && !is_earliest)
      result.push_back({static_cast<std::uint32_t>(i), {step.task, step.variant}, by_default});
    last = step.task;
  }
  return result;
}

const char* kind_of(const ScheduleDeviation& deviation, const StepRecord& step) {
  if (is_slow(step)) return "slow thread";
  if (deviation.choice.variant == kTimeout) return "timeout";
  if (deviation.choice.variant == kSpurious) return "spurious wake-up";
  if (deviation.choice.variant == kStop) return "stop";
  if ((step.flags & StepFlags::Preemption) != 0) return "preemption";
  return deviation.choice.task != deviation.by_default ? "switch" : "alternative";
}

}  // namespace heddle
