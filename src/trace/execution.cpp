// The parts of execution.h that are more than data.
#include "trace/execution.h"

#include <algorithm>
#include <iterator>

namespace heddle {

void Execution::clear() {
  plan = kept_of = 0;
  kept_steps = kept_changes = resumed_at = 0;
  bookmark = 0;
  bookmarks_made.clear();
  steps.clear();
  changes.clear();
  states_seen = ~std::uint64_t{0};
  gates_seen = true;
  step_flags_seen = 0xff;
  tasks.clear();
  objects.clear();
  messages.clear();
  races.clear();
  pending.clear();
  stacks.clear();
  pending_stacks.clear();
  landmarks.truncate(0);
  end = EndRecord();
  output.clear();
  damaged = false;
}

void Execution::clear_own() {
  bookmark = 0;
  bookmarks_made.clear();
  kept_of = plan;
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

void StateLandmarks::extend(const RecordList<StateChange>& changes) {
  if (changes.size() < due_) return;
  Landmark landmark;
  Gates gates;
  std::size_t next = 0;
  if (!landmarks_.empty()) {
    landmark = landmarks_.back();
    next = landmark.changes;
    restore(landmark, gates);
  }
  const std::size_t from = landmark.first_state, first = states_.size();
  std::uint32_t tasks = landmark.tasks;
  for (std::size_t i = next; i < changes.size(); ++i)
    if (!names_gate(changes[i].task)) tasks = std::max<std::uint32_t>(tasks, changes[i].task + 1u);
  states_.resize(first + tasks, 0);
  std::copy_n(states_.begin() + static_cast<std::ptrdiff_t>(from), landmark.tasks,
              states_.begin() + static_cast<std::ptrdiff_t>(first));
  for (; next < changes.size(); ++next)
    gates.take(changes[next], [&](const StateChange& change) { states_[first + change.task] = change.state; });
  landmarks_.push_back(
      {static_cast<std::uint32_t>(next), changes[next - 1].step, tasks, first, gates.any(), gates.named()});
  if (gates.any()) {
    gates_.resize(first + tasks, 0);
    for (std::uint32_t task = 0; task < tasks; ++task) gates_[first + task] = gates.of(static_cast<TaskId>(task));
  }
  due_ = next + std::max<std::size_t>(kInterval, std::size_t{4} * tasks);  // so that they take less than the changes
}

void StateLandmarks::truncate(std::size_t changes) {
  while (!landmarks_.empty() && landmarks_.back().changes > changes) {
    states_.resize(landmarks_.back().first_state);
    gates_.resize(std::min(gates_.size(), states_.size()));
    landmarks_.pop_back();
  }
  due_ = landmarks_.empty()
             ? kInterval
             : landmarks_.back().changes + std::max<std::size_t>(kInterval, std::size_t{4} * landmarks_.back().tasks);
}

void StateLandmarks::restore(const Landmark& landmark, Gates& gates) const {
  if (!landmark.any_gates) return;
  const std::uint16_t* at = gates_.data() + landmark.first_state;
  for (std::uint32_t task = 0; task < landmark.tasks; ++task) {
    if (at[task] == 0) continue;
    gates.name(at[task]);
    gates.stand(static_cast<TaskId>(task), at[task]);
  }
  gates.name(landmark.named_gate);
}

const StateLandmarks::Landmark* StateLandmarks::before(std::uint32_t step) const {
  const auto after = std::upper_bound(landmarks_.begin(), landmarks_.end(), step,
                                      [](std::uint32_t wanted, const Landmark& other) { return wanted < other.step; });
  return after != landmarks_.begin() ? &*std::prev(after) : nullptr;
}

void StateCursor::restart(const Execution& execution, std::uint32_t step) {
  const auto& changes = execution.changes;
  next_ = changes.data();
  end_ = next_ + changes.size();
  gates_.clear();
  count_ = 0;
  first_ = more_ = 0;
  const auto* landmark = execution.landmarks.before(step);
  if (landmark == nullptr) return;
  const std::uint8_t* states = execution.landmarks.states(*landmark);
  execution.landmarks.restore(*landmark, gates_);
  extend(landmark->tasks);
  for (std::uint32_t task = 0; task < landmark->tasks; ++task) set_state(static_cast<TaskId>(task), states[task]);
  next_ += std::min<std::size_t>(landmark->changes, changes.size());
}

bool is_timer(const Execution& execution, TaskId task) {
  if (task == 0 || task >= execution.tasks.size() || execution.tasks[task].entry != 0) return false;
  return std::none_of(execution.steps.begin(), execution.steps.end(), [task](const StepRecord& step) {
    return step.task == task && step.operation == OperationKind::ThreadStart;
  });
}

}  // namespace heddle
