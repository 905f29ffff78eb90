// Which tasks have changed their TaskState, or have yielded, since the runtime last asked. The runtime records what it
// gets here.
#pragma once

#include "model/population.h"

namespace heddle::model {

class Changes {
 public:
  bool any() const { return first_ != kNoTask; }  // perhaps of one whose state is again what it was
  void note(Task& task, TaskId id) {
    if (task.in_changed) return;
    task.in_changed = true;
    task.changed_next = first_;
    first_ = id;
  }
  struct Change {
    TaskId task = kNoTask;
    std::uint8_t state = 0;
    std::uint8_t yields = 0;  // that counted for fairness
  };
  // The next one; false when there is none.
  bool take(Population& population, Change& change);

 private:
  TaskId first_ = kNoTask;  // Task::changed_next leads on
};

}  // namespace heddle::model
