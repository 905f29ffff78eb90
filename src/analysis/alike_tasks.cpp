// See alike_tasks.h.
#include "analysis/alike_tasks.h"

#include <algorithm>
#include <utility>

#include "analysis/graph_mix.h"

namespace heddle {
namespace {

// From the digits of pi.
constexpr GraphHash kTask{0x243f6a8885a308d3ull, 0x13198a2e03707345ull};

// Of a task: the how-manieth of its creator.
GraphHash name_of(const GraphHash& creator, std::uint64_t number) {
  return {folded(creator.a ^ number ^ kTask.a, kNoPast.a), folded(creator.b ^ number ^ kTask.b, kNoPast.b)};
}

}  // namespace

GraphHash name_of_unnamed(std::size_t task) { return name_of({}, std::uint64_t{task} << 32); }

bool ToldApart::contains(const GraphHash& name) const {
  return all_ || std::find(names_.begin(), names_.end(), name) != names_.end();
}

const std::vector<GraphHash>& TaskNames::of(const Execution& execution) {
  if (hold(execution)) return names_;
  names_.clear();
  parents_.clear();
  like_.clear();
  any_alike_ = false;
  children_.assign(execution.tasks.size(), 0);
  firsts_.assign(execution.tasks.size(), kNoTask);
  sizes_.assign(execution.tasks.size(), 1);
  lasts_.assign(execution.tasks.size(), kNoTask);
  open_.assign(execution.tasks.size(), kNoTask);
  for (const TaskRecord& record : execution.tasks) {
    const bool is_named = record.parent < names_.size();
    const GraphHash own =
        is_named ? name_of(names_[record.parent], ++children_[record.parent]) : name_of_unnamed(names_.size());
    const TaskId first = class_of(record);
    if (first != kNoTask) firsts_[names_.size()] = first;
    names_.push_back(first != kNoTask ? names_[first] : own);
    parents_.push_back(record.parent);
    like_.push_back(record.like);
  }
  return names_;
}

// Which class does the next task belong to?
TaskId TaskNames::class_of(const TaskRecord& record) {
  const auto task = static_cast<TaskId>(names_.size());
  const bool may_be = told_apart_ != nullptr && record.like < task && parents_[record.like] == record.parent;
  if (!may_be) return kNoTask;
  TaskId& first = open_[record.like];
  if (first == kNoTask) first = record.like;
  if (told_apart_->contains(names_[first])) return kNoTask;
  if (sizes_[first] == kMostAlike) {
    first = task;
    return kNoTask;
  }
  ++sizes_[first];
  firsts_[first] = first;
  lasts_[first] = task;
  any_alike_ = true;
  return first;
}

// The tasks of a class that have taken steps come first, in the order of their last ones' hashes: so the role depends
// on what they have done, not on who they are. Those with equal hashes are interchangeable.
TaskId Roles::of(TaskId task, const GraphHash& last) const {
  const TaskId first = names_.first_like(task);
  if (first == kNoTask) return task;
  const auto order = [](const GraphHash& hash) { return std::pair(hash.a, hash.b); };
  unsigned before = 0;
  for (std::size_t other = first; other <= names_.last(first); ++other) {
    if (other == task || names_.first_like(static_cast<TaskId>(other)) != first) continue;
    before += tasks_[other].started && order(tasks_[other].last) < order(last) ? 1 : 0;
  }
  for (std::size_t other = first;; ++other)
    if (names_.first_like(static_cast<TaskId>(other)) == first && before-- == 0) return static_cast<TaskId>(other);
}

GraphHash Roles::assignment(TaskId task, const GraphHash& last) const {
  GraphHash sum;
  if (!any_alike()) return sum;
  for (std::size_t other = 0; other < names_.count(); ++other) {
    if (names_.first_like(static_cast<TaskId>(other)) == kNoTask) continue;
    const GraphHash& own = other == task ? last : tasks_[other].last;
    sum += {folded(own.a ^ (other + 1), kNoPast.a), folded(own.b ^ (other + 1), kNoPast.b)};
  }
  return sum;
}

// Are the tasks called what they were called in the last execution?
bool TaskNames::hold(const Execution& execution) const {
  if (execution.tasks.size() != parents_.size()) return false;
  for (std::size_t task = 0; task < parents_.size(); ++task)
    if (execution.tasks[task].parent != parents_[task] || execution.tasks[task].like != like_[task]) return false;
  return true;
}

}  // namespace heddle
