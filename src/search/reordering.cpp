// See reordering.h.
#include "search/reordering.h"

#include <algorithm>

#include "analysis/happens_before.h"

namespace heddle {
namespace {

constexpr std::size_t kMostSteps = 4096, kMostTasks = 64;

}  // namespace

std::vector<Choice> Reordering::of(const Execution& execution, Way way) {
  std::vector<Choice> choices;
  if (!prepare(execution)) return choices;
  const std::vector<std::uint32_t> order = way == Way::Reversed ? reversed() : in_turn();
  if (std::is_sorted(order.begin(), order.end())) return choices;
  for (const std::uint32_t step : order) choices.push_back({execution.steps[step].task, execution.steps[step].variant});
  return choices;
}

bool Reordering::prepare(const Execution& execution) {
  const auto steps = static_cast<std::uint32_t>(execution.steps.size());
  if (execution.damaged || steps > kMostSteps) return false;
  steps_of_.clear();
  level_.clear();
  std::uint32_t level = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const StepRecord& made = execution.steps[step];
    if (made.task >= kMostTasks) return false;
    if (made.task >= steps_of_.size()) steps_of_.resize(made.task + 1u);
    steps_of_[made.task].push_back(step);
    const bool with_all = HappensBefore::is_ordered_with_all(made);
    level_.push_back(with_all ? level + 1 : level);
    if (with_all) level += 2;
  }
  placed_.assign(steps_of_.size(), 0);
  order_.read(execution, 0);
  return true;
}

// Everything that its next step happens after has been placed.
bool Reordering::may_come_next(std::size_t task) const {
  if (placed_[task] == steps_of_[task].size()) return false;
  const std::uint32_t next = steps_of_[task][placed_[task]];
  for (std::size_t other = 0; other < steps_of_.size(); ++other)
    if (other != task && placed_[other] < steps_of_[other].size() && before(steps_of_[other][placed_[other]], next))
      return false;
  return true;
}

// The same from the back.
bool Reordering::may_come_last(std::size_t task) const {
  const auto last_of = [this](std::size_t one) { return steps_of_[one][steps_of_[one].size() - placed_[one] - 1]; };
  if (placed_[task] == steps_of_[task].size()) return false;
  for (std::size_t other = 0; other < steps_of_.size(); ++other)
    if (other != task && placed_[other] < steps_of_[other].size() && before(last_of(task), last_of(other)))
      return false;
  return true;
}

// From the back, always the earliest step that may come last. (The last one that is left may.)
std::vector<std::uint32_t> Reordering::reversed() {
  std::vector<std::uint32_t> order(level_.size());
  for (std::size_t at = order.size(); at-- > 0;) {
    std::size_t chosen = 0;
    std::uint32_t earliest = ~std::uint32_t{0};
    for (std::size_t task = 0; task < steps_of_.size(); ++task) {
      if (!may_come_last(task)) continue;
      const std::uint32_t step = steps_of_[task][steps_of_[task].size() - placed_[task] - 1];
      if (step >= earliest) continue;
      earliest = step;
      chosen = task;
    }
    ++placed_[chosen];
    order[at] = earliest;
  }
  return order;
}

// Always the step of the task whose turn is longest ago.
std::vector<std::uint32_t> Reordering::in_turn() {
  std::vector<std::uint32_t> order;
  std::vector<std::size_t> last_turn(steps_of_.size(), 0);
  while (order.size() < level_.size()) {
    std::size_t chosen = steps_of_.size();
    for (std::size_t task = steps_of_.size(); task-- > 0;)
      if (may_come_next(task) && (chosen == steps_of_.size() || last_turn[task] < last_turn[chosen])) chosen = task;
    order.push_back(steps_of_[chosen][placed_[chosen]++]);
    last_turn[chosen] = order.size();
  }
  return order;
}

}  // namespace heddle
