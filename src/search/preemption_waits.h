// Which steps of an execution belong to waits that could have ended by themselves, and which come before a task yields.
// For preemption_points.h; steps from `first` on are new.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/execution.h"

namespace heddle {

struct PreemptionWaits {
  // `tasks`: at least as many as there are.
  void read(const Execution& execution, std::uint32_t first_new, std::uint32_t tasks) {
    first = first_new;
    read_waits(execution, tasks);
    read_yields(execution, tasks);
  }
  bool waited_at(std::uint32_t step) const { return timed && waited[step - first] != 0; }
  bool yields_behind(std::uint32_t step) const { return any_yields && yields_next[step - first] != 0; }
  bool waits_in_the_end(TaskId task) const { return timed && waits_at_end[task] != 0; }

  bool timed = false;       // waits that can end by themselves have been seen, in any execution
  bool any_yields = false;  // tasks yield in this execution; to be set before read()
  std::uint32_t first = 0;
  // Of the steps that are new, and of what tasks are about to do at the end:
  std::vector<std::uint8_t> waited, waits_at_end;        // could have ended by time, or for no reason
  std::vector<std::uint8_t> yields_next, at_end_yields;  // what its task does then is to yield

 private:
  void read_waits(const Execution& execution, std::uint32_t width);
  void read_yields(const Execution& execution, std::uint32_t width);
};

}  // namespace heddle
