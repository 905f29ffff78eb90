// Which locks a thread holds at a step of an execution.
#pragma once

#include <map>
#include <vector>

#include "trace/execution.h"

namespace heddle {

// Does the step take its object, a lock, so that others can't? Of a wait on a condition variable it is the step in
// which its mutex is locked again.
bool takes_lock(const StepRecord& step);

// The lock that the step gives back, kNoObject: none. A wait on a condition variable gives back its mutex.
ObjectId released_lock(const StepRecord& step);

// The locks of all threads, step by step.
class HeldLocks {
 public:
  void add(const StepRecord& step);
  // In the order in which it took them; as often as it took them.
  const std::vector<ObjectId>& of(TaskId task) const;

 private:
  std::map<TaskId, std::vector<ObjectId>> held_;
};

// What the thread holds after the first `steps` steps, in the order in which it took it; as often as it took it.
std::vector<ObjectId> held_locks(const Execution& execution, TaskId task, std::size_t steps);

}  // namespace heddle
