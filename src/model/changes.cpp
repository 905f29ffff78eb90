// See changes.h.
#include "model/changes.h"

namespace heddle::model {
namespace {

// At whose gate may the task stand? Nothing but the object's state must say whether it can go on.
std::uint16_t gate_of(const Task& task) {
  const Operation& pending = task.pending;
  const bool waits = task.published && !task.ended && task.yields == 0 && task.interrupts == 0 && !task.timer;
  if (!waits || pending.deadline != kNoDeadline || !is_gate(pending.object)) return 0;
  return static_cast<std::uint16_t>(pending.object);
}

void forget_gate(Population& population, Task& task) {
  if (task.gate == 0) return;
  --population.object(task.gate).at_gate;
  task.gate = 0;
}

}  // namespace

[[gnu::noinline]] void Changes::leave(Population& population, Task& task, TaskId id) {
  forget_gate(population, task);
  task.reported = kUnreported;
  note(task, id);
}

bool Changes::take(Population& population, Change& change) { return take_besides(population, Crowd(), change); }

// The object that most of the first wait for: the one that the others among them have not outvoted (R. S. Boyer and
// J S. Moore, "MJRTY: a fast majority vote algorithm", 1981). Its gate is of use if all who stand there are to have the
// same state now.
Changes::Crowd Changes::find_crowd(Population& population) const {
  Crowd crowd;
  std::uint32_t votes = 0, asked = 0;
  for (TaskId id = first_; id != kNoTask && asked != kFew; ++asked) {
    const Task& task = population.task(id);
    const std::uint16_t gate = gate_of(task);
    if (votes == 0) crowd = {gate, task.state};
    votes += gate == crowd.gate && task.state == crowd.state ? 1u : ~0u;
    id = task.changed_next;
  }
  if (crowd.gate == 0) return crowd;
  Object& object = population.object(crowd.gate);
  std::uint32_t same = 0;
  if (object.gate_state != crowd.state && object.at_gate != 0) {
    for (TaskId id = first_; id != kNoTask;) {
      const Task& task = population.task(id);
      same += task.gate == crowd.gate && task.state == crowd.state && task.yields == 0 ? 1u : 0u;
      id = task.changed_next;
    }
    if (same != object.at_gate) return {};
  }
  object.gate_state = crowd.state;
  return crowd;
}

bool Changes::take_besides(Population& population, const Crowd& crowd, Change& change) {
  while (first_ != kNoTask) {
    const TaskId first = first_;
    Task& task = population.task(first);
    first_ = task.changed_next;
    --count_;
    task.in_changed = false;
    const bool in_crowd = crowd.gate != 0 && task.state == crowd.state && task.yields == 0;
    if (in_crowd && task.gate == crowd.gate) {
      task.reported = task.state;
      continue;
    }
    if (task.state == task.reported && task.yields == 0) continue;
    forget_gate(population, task);
    const bool joins = in_crowd && gate_of(task) == crowd.gate;
    if (joins) {
      task.gate = crowd.gate;
      ++population.object(crowd.gate).at_gate;
    }
    task.reported = task.state;
    change = {first, static_cast<std::uint8_t>(task.state | (joins ? Gate::kStands : 0)), task.yields};
    task.yields = 0;
    return true;
  }
  return false;
}

}  // namespace heddle::model
