// See replay.h.
#include "driver/execute/replay.h"

#include <algorithm>
#include <utility>

#include "driver/execute/ended_early.h"
#include "driver/execute/worker.h"
#include "driver/process/interrupt.h"
#include "driver/process/rings.h"

namespace heddle {
namespace {

struct OnEvent {
  ReplayResult& result;

  void operator()(ExecutionFinished& event) const {
    if (!event.ended_because.empty()) result.problem = "it was ended because " + event.ended_because;
    result.execution = std::move(*event.execution);
  }
  void operator()(PlanLost& event) const { result.problem = event.why; }
  void operator()(EndedBeforeBranching& event) const { result.problem = explain(event); }
  void operator()(WorkerFailed& event) const { result.problem = event.message; }
};

// As a replay is run.
RunOptions noting_blocks(RunOptions options) {
  options.note_blocks = true;
  return options;
}

Delta last_choice(const Execution& execution, const Plan& original, std::uint32_t step) {
  if (!original.deltas.empty() && original.deltas.back().step == step) return original.deltas.back();
  return {step, {execution.end.task, 0}};
}

}  // namespace

ReplayResult replay(const Target& target, const RunOptions& options, const Plan& plan, bool own_folder) {
  const InterruptGuard guard;
  const RunOptions noting = noting_blocks(options);
  Worker worker({{target, noting, IsolationKind::Exec, -1, own_folder}, 1});
  worker.keep_all_output(true);
  worker.submit(Plan(plan));
  std::optional<WorkerEvent> event;
  while (!event && !interrupted()) event = worker.poll(std::chrono::milliseconds(100));
  ReplayResult result;
  if (event) {
    std::visit(OnEvent{result}, *event);
  } else {
    result.problem = "it was interrupted";
  }
  if (result.execution) result.outcome = classify(*result.execution, options.ok_exit);
  result.modules = worker.session().modules();
  result.config = worker.session().config();
  result.notes = worker.take_notes();
  return result;
}

std::string become_replay(const Target& target, const RunOptions& options, const Plan& plan, bool own_folder) {
  const RunOptions noting = noting_blocks(options);
  std::string problem;
  OutputCapture output;
  if (problem = output.create(); !problem.empty()) return problem;
  const auto region = SharedRegion::create(problem);
  if (region == nullptr) return problem;
  Plan with_stacks = plan;
  with_stacks.stacks = true;  // then each step goes by where a debugger can stop it
  if (!region->plans().write(with_stacks)) return "the schedule has too many steps to be handed over";
  LaunchOptions launch{target, noting, IsolationKind::Exec};
  launch.debugger = true;
  launch.scratch = own_folder;
  return Launcher(launch).become(*region, output);
}

Plan dense_plan(const Execution& execution, const Plan& original) {
  Plan plan;
  plan.id = original.id;
  plan.deltas.reserve(execution.steps.size());
  for (std::uint32_t step = 0; step < execution.steps.size(); ++step)
    plan.deltas.push_back({step, {execution.steps[step].task, execution.steps[step].variant}});
  // An operation that pthreads does not allow may have ended it without having become a step: that choice is wanted
  // too.
  const auto steps = static_cast<std::uint32_t>(execution.steps.size());
  const bool refused = steps != 0 && (execution.steps.back().flags & StepFlags::Refused) != 0;
  if (execution.end.end == EndKind::Misuse && !refused) plan.deltas.push_back(last_choice(execution, original, steps));
  plan.loop_from = execution.end.loop_from;
  plan.max_steps = original.max_steps;
  plan.fair = original.fair;
  plan.slow_threads = original.slow_threads;
  if (!PlanRing::fits(plan)) plan = original;
  plan.stacks = true;
  return plan;
}

}  // namespace heddle
