// See changes.h.
#include "model/changes.h"

namespace heddle::model {

bool Changes::take(Population& population, TaskId& id, std::uint8_t& state) {
  while (first_ != kNoTask) {
    const TaskId first = first_;
    Task& task = population.task(first);
    first_ = task.changed_next;
    task.in_changed = false;
    if (task.state == task.reported) continue;
    task.reported = task.state;
    id = first;
    state = task.state;
    return true;
  }
  return false;
}

}  // namespace heddle::model
