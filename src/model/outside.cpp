// What comes from the world outside: the runtime asks the kernel, and tells the model.
#include "model/world.h"

namespace heddle::model {

void World::set_ready(TaskId id, bool ready) {
  tasks_[id].pending.argument = ready ? 0 : kNotReady;
  reevaluate(id);
}

Nanoseconds World::earliest_deadline() const {
  const TaskId earliest = earliest_timed();
  return earliest == kNoTask ? kNoDeadline : tasks_[earliest].pending.deadline;
}

}  // namespace heddle::model
