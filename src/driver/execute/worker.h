// A worker runs plans: one program under the runtime, on one CPU. Behind this interface stand fork isolation (one
// process takes all plans and forks for each) and exec isolation (the program is started afresh for each).
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "driver/target/launch.h"
#include "trace/execution.h"
#include "trace/modules.h"
#include "trace/plan.h"

namespace heddle {

// A plan was run. What we had to end is among them, with EndKind::Killed.
struct ExecutionFinished {
  Plan plan;
  std::unique_ptr<Execution> execution;
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

class Worker {
 public:
  virtual ~Worker() = default;
  virtual bool can_take() const = 0;
  // Only while can_take().
  virtual void submit(Plan&& plan) = 0;
  // The next event; nothing when there is none within `limit`. Events come in the order in which plans were submitted.
  virtual std::optional<WorkerEvent> poll(std::chrono::milliseconds limit) = 0;
  virtual std::size_t outstanding() const = 0;
  // Does the program stand at the point where schedules branch?
  virtual bool branching() const = 0;
  virtual ModuleMap modules() const = 0;
  virtual const Config& config() const = 0;
  // Does each of its processes have other addresses?
  virtual bool randomized() const = 0;
  virtual std::vector<std::string> take_notes() = 0;
  // Whether the output of every execution is wanted, not only of those that fail. Changes hold from the next plan on
  // that is submitted while none is outstanding.
  virtual void keep_all_output(bool yes) = 0;
  // Gives the execution of the last event back, unchanged, before the next poll(): the next one may share its beginning
  // with it (trace/decode.h). What is to be kept of it is copied.
  virtual void reuse(std::unique_ptr<Execution> execution) = 0;
  // The plans that were submitted and have brought no event yet. The worker is spent then.
  virtual std::vector<Plan> take_back() = 0;
  virtual const Status& status() const = 0;
  // Why the target went from snapshots to forks by itself; empty: it did not.
  virtual std::string fallback() const = 0;
  // Sleeps until there may be an event, but at most `limit`; looks after the target.
  virtual void wait(std::chrono::milliseconds limit) = 0;
  // For waiting on several workers at once: the word that the target will wake and that holds 1 until then; null if
  // there may be an event already. end_wait() afterwards, in any case.
  virtual std::atomic<std::uint32_t>* begin_wait() = 0;
  virtual void end_wait() = 0;
};

struct WorkerOptions {
  LaunchOptions launch;
  std::size_t plans_ahead = 128;  // under exec isolation it is always 1
};

std::unique_ptr<Worker> make_worker(const WorkerOptions& options);

}  // namespace heddle
