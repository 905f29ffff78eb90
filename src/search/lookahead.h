// What each task does next, at every step of an execution: its next step, or what it was about to do at the end.
// Source: GAMBIT (PPoPP 2010), figure 4, where a task's next operation is looked at wherever another one is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/dependence.h"
#include "trace/execution.h"

namespace heddle {

// An operation that was made, or would be.
struct NextOperation {
  OperationKind kind = OperationKind::None;  // None: it is not known
  ObjectId object = kNoObject;
  ObjectId object2 = kNoObject;
  Site site = 0;
  bool wrote = true;                         // or may write
  std::uint32_t step = 0;                    // its step; the number of steps where it was never made
  const std::vector<Site>* stack = nullptr;  // its call stack, innermost first; null: none was recorded
  bool known() const { return kind != OperationKind::None; }
  Access access() const { return access_of(kind, object, object2, wrote); }
};

class Lookahead {
 public:
  // The execution must live as long as it is asked about, from the step `first` on.
  void begin(const Execution& execution, std::uint32_t first);
  const Execution& execution() const { return *execution_; }
  std::uint32_t steps() const { return static_cast<std::uint32_t>(execution_->steps.size()); }
  NextOperation made(std::uint32_t step) const;
  // What the task does next at the decision of a step, not before `first`.
  NextOperation next(TaskId task, std::uint32_t step) const;

 private:
  const Execution* execution_ = nullptr;
  std::vector<std::vector<std::uint32_t>> steps_of_;  // by task, ascending, from the first one on
};

}  // namespace heddle
