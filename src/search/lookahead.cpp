// See lookahead.h.
#include "search/lookahead.h"

#include <algorithm>

namespace heddle {
namespace {

const std::vector<Site>* stack_of(const std::vector<std::vector<Site>>& stacks, std::size_t index) {
  return index < stacks.size() && !stacks[index].empty() ? &stacks[index] : nullptr;
}

}  // namespace

void Lookahead::begin(const Execution& execution, std::uint32_t first) {
  execution_ = &execution;
  for (auto& own : steps_of_) own.clear();
  if (steps_of_.size() < execution.tasks.size()) steps_of_.resize(execution.tasks.size());
  for (std::uint32_t step = first; step < steps(); ++step) {
    const TaskId task = execution.steps[step].task;
    if (task >= steps_of_.size()) steps_of_.resize(task + std::size_t{1});
    steps_of_[task].push_back(step);
  }
}

NextOperation Lookahead::made(std::uint32_t step) const {
  const StepRecord& made = execution_->steps[step];
  const bool wrote = (made.flags & StepFlags::Wrote) != 0;
  return {made.operation, made.object, made.object2, made.site, wrote, step, stack_of(execution_->stacks, step)};
}

NextOperation Lookahead::next(TaskId task, std::uint32_t step) const {
  if (task < steps_of_.size()) {
    const auto& own = steps_of_[task];
    const auto found = std::lower_bound(own.begin(), own.end(), step);
    if (found != own.end()) return made(*found);
  }
  for (std::size_t i = 0; i < execution_->pending.size(); ++i) {
    const PendingRecord& one = execution_->pending[i];
    if (one.task == task)
      return {one.operation, one.object, one.object2, one.site, true, steps(), stack_of(execution_->pending_stacks, i)};
  }
  return {};
}

}  // namespace heddle
