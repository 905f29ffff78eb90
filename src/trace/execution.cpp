// The parts of execution.h that are more than data.
#include "trace/execution.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::uint8_t kChoosable = TaskState::Eligible | TaskState::Timeout | TaskState::Spurious;

}  // namespace

void Execution::clear() {
  plan = 0;
  steps.clear();
  changes.clear();
  tasks.clear();
  objects.clear();
  messages.clear();
  pending.clear();
  stacks.clear();
  pending_stacks.clear();
  end = EndRecord();
  output.clear();
  damaged = false;
}

const ObjectRecord* Execution::object(ObjectId id) const {
  const auto found =
      std::lower_bound(objects.begin(), objects.end(), id,
                       [](const ObjectRecord& record, ObjectId wanted) { return record.object < wanted; });
  return found != objects.end() && found->object == id ? &*found : nullptr;
}

const ExecutionMessage* Execution::message(MessageKind kind) const {
  const auto found = std::find_if(messages.rbegin(), messages.rend(),
                                  [kind](const ExecutionMessage& message) { return message.kind == kind; });
  return found != messages.rend() ? &*found : nullptr;
}

void StateCursor::restart(const Execution& execution) {
  execution_ = &execution;
  next_change_ = 0;
  states_.clear();
  candidates_.clear();
}

void StateCursor::advance_to(std::uint32_t step) {
  const auto& changes = execution_->changes;
  for (; next_change_ < changes.size() && changes[next_change_].step <= step; ++next_change_)
    set_state(changes[next_change_].task, changes[next_change_].state);
}

void StateCursor::set_state(TaskId task, std::uint8_t state) {
  if (task >= states_.size()) states_.resize(task + 1u, 0);
  const bool was = (states_[task] & kChoosable) != 0, is = (state & kChoosable) != 0;
  states_[task] = state;
  if (was == is) return;
  const auto place = std::lower_bound(candidates_.begin(), candidates_.end(), task);
  if (is) {
    candidates_.insert(place, task);
  } else {
    candidates_.erase(place);
  }
}

}  // namespace heddle
