// What a worker brings: one event for each plan, or the end of it all.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "driver/execute/lent_execution.h"
#include "protocol/shared.h"
#include "trace/plan.h"

namespace heddle {

// A plan was run. What we had to end is among them, with EndKind::Killed.
struct ExecutionFinished {
  Plan plan;
  LentExecution execution;
  std::string ended_because;  // why we ended it, if we did
};

// A plan brought nothing.
struct PlanLost {
  PlanId plan = 0;
  std::string why;
};

// The program ended, or was ended, before it came to the point where schedules branch: there is nothing to explore.
struct EndedBeforeBranching {
  int status = 0;  // as from wait()
  std::string output;
  std::string why;     // why we ended it, if we did
  std::string target;  // --target
  LaunchProblem problem = LaunchProblem::None;
  std::uint32_t runtime_version = 0;
  std::uint32_t preloaded_processes = 0;
  std::uint32_t threads_uncontrolled = 0;
  bool threads_in_child = false;  // that the program forked
};

// Nothing more can be run.
struct WorkerFailed {
  std::string message;
};

using WorkerEvent = std::variant<ExecutionFinished, PlanLost, EndedBeforeBranching, WorkerFailed>;

}  // namespace heddle
