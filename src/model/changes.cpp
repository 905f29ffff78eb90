// See changes.h.
#include "model/changes.h"

namespace heddle::model {

bool Changes::take(Population& population, Change& change) {
  while (first_ != kNoTask) {
    const TaskId first = first_;
    Task& task = population.task(first);
    first_ = task.changed_next;
    task.in_changed = false;
    if (task.state == task.reported && task.yields == 0) continue;
    task.reported = task.state;
    change = {first, task.state, task.yields};
    task.yields = 0;
    return true;
  }
  return false;
}

}  // namespace heddle::model
