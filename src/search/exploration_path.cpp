// See exploration_path.h.
#include "search/exploration_path.h"

#include <algorithm>
#include <utility>

namespace heddle {

void ExplorationPath::go_to(NodeId id) {
  std::uint32_t depth = tree_[id].depth;
  nodes_.resize(depth + 1, ExplorationTree::kNone);
  for (; nodes_[depth] != id; --depth) {
    nodes_[depth] = id;
    if (depth == 0) break;
    id = tree_[id].parent;
  }
  known_ = std::min(known_, depth);
}

bool ExplorationPath::followed(const Execution& execution) const {
  const ExplorationTree::Node& node = tree_[last()];
  const auto& steps = execution.steps;
  if (execution.end.end == EndKind::Diverged || steps.size() < node.depth) return false;
  const auto made_as = [&](std::size_t step, Choice choice) {
    const bool timed_out = choice.variant == 0 && steps[step].variant == kTimeout;  // going_on() in model/choices.h
    return steps[step].task == choice.task && (steps[step].variant == choice.variant || timed_out);
  };
  for (std::size_t step = 0; step < node.depth; ++step)
    if (!made_as(step, tree_[nodes_[step + 1]].made)) return false;
  bool same = true;
  std::size_t planned = node.depth;
  each_on_first_branch(node.wakeup, [&](const Event& event) {
    same = same && (planned < steps.size() ? made_as(planned, event.choice) : execution.end.end == EndKind::Asleep);
    ++planned;
  });
  return same;
}

void ExplorationPath::extend(const Execution& execution, const std::vector<Event>& events, WakeupTree taken,
                             std::uint32_t until) {
  const auto first = static_cast<std::uint32_t>(nodes_.size() - 1);
  if (first >= events.size()) return;
  cursor_.restart(execution, first);
  for (std::uint32_t step = first;; ++step) {
    const Event& made = events[step];
    asleep_then_.clear();
    for (const Event& event : tree_[nodes_.back()].sleepers(made.choice))
      if (!dependent(event, made)) asleep_then_.push_back(event);
    if (step >= until && (asleep_then_.empty() || step + 1 == events.size())) break;
    cursor_.advance_to(step);
    const NodeId id = tree_.add(nodes_.back(), made, is_default(execution, events, step), asleep_then_);
    if (!taken.empty()) {
      WakeupTree below = std::move(taken.front().children);
      taken.erase(taken.begin());
      tree_.give_back(id, std::exchange(taken, std::move(below)));
    }
    nodes_.push_back(id);
  }
  known_ = static_cast<std::uint32_t>(nodes_.size() - 1);
  tree_.note_explored(nodes_.back(), events[known_], 1);
}

// Need a later plan that goes the same way not say so?
bool ExplorationPath::is_default(const Execution& execution, const std::vector<Event>& events,
                                 std::uint32_t step) const {
  const StepRecord& made = execution.steps[step];
  const auto eligible = [this](TaskId task) { return (cursor_.state(task) & TaskState::Eligible) != 0; };
  TaskId by_default = step == 0 ? TaskId{0} : events[step - 1].choice.task;
  for (TaskId task = 0; !eligible(by_default) && task < cursor_.task_count(); ++task)
    if (eligible(task)) by_default = task;
  return made.variant == 0 && made.task == by_default && eligible(by_default);
}

void ExplorationPath::cut(std::uint32_t depth) { nodes_.resize(std::min<std::size_t>(nodes_.size(), depth)); }

}  // namespace heddle
