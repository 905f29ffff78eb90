// See held_locks.h.
#include "analysis/held_locks.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace heddle {

bool takes_lock(const StepRecord& step) {
  switch (step.operation) {
    case OperationKind::MutexTryLock:
    case OperationKind::SpinTryLock:
    case OperationKind::TryReadLock:
    case OperationKind::TryWriteLock:
    case OperationKind::MutexLock:
    case OperationKind::SpinLock:
    case OperationKind::ReadLock:
    case OperationKind::WriteLock:
      return step.result == 0 || step.result == EOWNERDEAD;  // it has it all the same
    case OperationKind::MutexReacquire:
      return true;
    default:
      return false;
  }
}

ObjectId released_lock(const StepRecord& step) {
  switch (step.operation) {
    case OperationKind::MutexUnlock:
    case OperationKind::SpinUnlock:
    case OperationKind::RwUnlock:
      return step.object;
    case OperationKind::ConditionWait:
      return step.object2;
    default:
      return kNoObject;
  }
}

std::vector<ObjectId> held_locks(const Execution& execution, TaskId task, std::size_t steps) {
  std::vector<ObjectId> result;
  for (std::size_t i = 0; i < std::min(steps, execution.steps.size()); ++i) {
    const StepRecord& step = execution.steps[i];
    if (step.task != task) continue;
    // A writer that had to queue takes two steps for one lock.
    const bool again = step.operation == OperationKind::WriteLock &&
                       std::find(result.begin(), result.end(), step.object) != result.end();
    if (takes_lock(step) && !again) result.push_back(step.object);
    const ObjectId released = released_lock(step);
    const auto last = std::find(result.rbegin(), result.rend(), released);
    if (released != kNoObject && last != result.rend()) result.erase(std::next(last).base());
  }
  return result;
}

}  // namespace heddle
