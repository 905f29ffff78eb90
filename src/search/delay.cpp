// Delay bounding: all schedules without a delay, then all with one, and so on.
//
// Source: Emmi, Qadeer, Rakamaric, Delay-bounded scheduling, POPL 2011. A deterministic scheduler (here the default of
// the model) decides; a delay passes over its choice once, and takes the next one in a fixed order. With d delays there
// are about as many schedules as ways to pick d steps, however many threads there are. So this search reaches further
// into programs with many threads than a bound of preemptions, where at every wait each of the threads may run next at
// no cost.
//
// The order at a decision: the tasks in turn, from that of the default on and round to the one before it; for each its
// ordinary choices by their variants, then its timeout, then a spurious end. The default comes first. The cost of a
// choice is its place in this order: 0, 1, 2 …
//
// Why every schedule within a bound is run exactly once. As in bounded.h, a schedule is its deviations from the
// default, and its parent is the same without the last of them. Running a node brings its children, which cost one
// delay more: the second choice in the order, at each step after its last deviation, where the run followed the
// default. It also brings one sibling that costs one more: at its last deviation, the next choice in the order. So each
// choice at a step is reached along the order, and only once. How many variants a choice has is known when it has been
// taken, and the next one is asked for only then.
#include <algorithm>
#include <optional>

#include "search/frontier.h"
#include "search/strategy_entry.h"

namespace heddle {
namespace {

class DelaySearch final : public Strategy {
 public:
  DelaySearch(std::optional<std::uint64_t> most, PlanId first_plan) : most_(most), frontier_(first_plan) {}

  Next next() override { return frontier_.next(); }

  void learn(const Execution& execution) override {
    const Frontier::Outstanding outstanding = frontier_.take_back(execution.plan);
    if (outstanding.node == Frontier::kNone) return;
    const bool usable = !execution.damaged && execution.end.end != EndKind::Diverged;
    if (!usable || !followed(execution, frontier_.nodes()[outstanding.node])) {
      frontier_.withdraw(outstanding.least());
    } else {
      if (lacks_choices(execution)) frontier_.withdraw(outstanding.least());
      frontier_.note_run(outstanding.bound);
      expand(execution, outstanding);
    }
    frontier_.nodes().release(outstanding.node);
  }

  void lost(PlanId plan) override {
    const Frontier::Outstanding outstanding = frontier_.take_back(plan);
    if (outstanding.node == Frontier::kNone) return;
    frontier_.withdraw(outstanding.least());
    frontier_.nodes().release(outstanding.node);
  }

  Coverage coverage() const override {
    Coverage coverage = frontier_.coverage();
    coverage.complete = coverage.complete && !cut_off_;
    coverage.regions_kept = region_;
    return coverage;
  }
  double estimated_total() const override { return frontier_.estimated_total(); }
  double estimated_spread() const override { return frontier_.estimated_spread(); }

  void save(StateWriter& writer) const override {
    writer(first_task_, cut_off_, region_);
    frontier_.save(writer);
  }
  bool restore(StateReader& reader) override {
    reader(first_task_, cut_off_, region_);
    return frontier_.restore(reader) && !reader.failed();
  }

 private:
  void expand(const Execution& execution, const Frontier::Outstanding& outstanding) {
    const Deviations::Node node = frontier_.nodes()[outstanding.node];
    const std::size_t group = frontier_.queued(outstanding.bound + 1u);
    const bool is_root = node.step == Frontier::kRootStep;
    const auto steps = static_cast<std::uint32_t>(execution.steps.size());
    cursor_.restart(execution, is_root ? 0 : node.step);
    if (is_root && steps != 0) first_task_ = execution.steps[0].task;
    if (!is_root) {
      cursor_.advance_to(node.step);
      push_next(execution, node.step, task_by_default(execution, node.step), node.parent, outstanding.bound);
    }
    for (std::uint32_t step = is_root ? 0 : node.step + 1; step < steps; ++step) {
      cursor_.advance_to(step);
      push_next(execution, step, execution.steps[step].task, outstanding.node, outstanding.bound);
    }
    frontier_.turn_round(outstanding.bound + 1u, group);  // the latest step first, as targets with checkpoints like it
  }

  // What is behind the choice that was made at `step`, as a schedule that branches off from `parent`. `first`: the task
  // of the default there, with which the order begins.
  void push_next(const Execution& execution, std::uint32_t step, TaskId first, Frontier::NodeId parent,
                 unsigned bound) {
    const auto next = choice_behind(execution.steps[step], first);
    if (!next) return;
    if (most_ && bound >= *most_)
      cut_off_ = true;
    else
      frontier_.push(parent, step, *next, bound + 1);
  }

  std::optional<Choice> choice_behind(const StepRecord& made, TaskId first) {
    const std::uint8_t state = cursor_.state(made.task);
    const bool ordinary = made.variant != kTimeout && made.variant != kSpurious;
    if (ordinary && made.variant + 1 < made.variants) return Choice{made.task, static_cast<Variant>(made.variant + 1)};
    if (ordinary && (state & TaskState::Timeout) != 0) return Choice{made.task, kTimeout};
    if (made.variant != kSpurious && (state & TaskState::Spurious) != 0) return Choice{made.task, kSpurious};
    const bool costs = (made.flags & StepFlags::SwitchCosts) != 0;
    if (costs && (made.flags & StepFlags::Unpreemptible) != 0) {
      region_ = true;
      return {};
    }
    const std::uint32_t tasks = cursor_.task_count();
    if (made.task >= tasks || first >= tasks) return {};
    for (std::uint32_t task = (made.task + 1u) % tasks; task != first; task = (task + 1) % tasks)
      if (const auto choice = first_choice_of(static_cast<TaskId>(task))) return choice;
    return {};
  }

  std::optional<Choice> first_choice_of(TaskId task) const {
    const std::uint8_t state = cursor_.state(task);
    if ((state & TaskState::Eligible) != 0) return Choice{task, 0};
    if ((state & TaskState::Timeout) != 0) return Choice{task, kTimeout};
    if ((state & TaskState::Spurious) != 0) return Choice{task, kSpurious};
    return {};
  }

  // As the model has it: whoever ran last, else the lowest that may go on, else the earliest deadline.
  TaskId task_by_default(const Execution& execution, std::uint32_t step) const {
    if (step == 0) return first_task_;
    const TaskId last = execution.steps[step - 1].task;
    if ((cursor_.state(last) & TaskState::Eligible) != 0) return last;
    const std::uint8_t wanted =
        (execution.steps[step].flags & StepFlags::NothingEnabled) != 0 ? TaskState::Earliest : TaskState::Eligible;
    for (std::uint32_t task = 0; task < cursor_.task_count(); ++task)
      if ((cursor_.state(static_cast<TaskId>(task)) & wanted) != 0) return static_cast<TaskId>(task);
    return execution.steps[step].task;
  }

  std::optional<std::uint64_t> most_;  // delays
  Frontier frontier_;
  StateCursor cursor_;
  TaskId first_task_ = 0;  // whose the first step is by default
  bool cut_off_ = false;   // schedules with more delays are known to exist
  bool region_ = false;    // one in which threads are not preempted was seen
};

std::unique_ptr<Strategy> make(const StrategyEntry& entry, const StrategyOptions& options) {
  return std::make_unique<DelaySearch>(entry.number(options.own, entry.limit), options.first_plan);
}

}  // namespace

StrategyEntry delay_strategy() {
  return {.name = "delay",
          .help =
              "all schedules without a delay, then with one, two …: a delay passes over the thread whose turn it is, "
              "for the next one",
          .options = {{"--max-delays", "N", "stop when every schedule with at most N delays was run"}},
          .limit = "--max-delays",
          .promise = {.bounds = "delay"},
          .unfit = {{"--require-bound",
                     "--search=delay counts delays, so --require-bound, which is about preemptions, can't be met: use "
                     "--search=bounded, or leave it out"},
                    {"--no-preempt", "--no-preempt is for --search=bounded only, which counts preemptions"}},
          .share = 0.06,
          .make = make};
}

}  // namespace heddle
