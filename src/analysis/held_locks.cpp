// See held_locks.h.
#include "analysis/held_locks.h"

#include <algorithm>
#include <iterator>

namespace heddle {
namespace {

bool takes(const StepRecord& step) {
  switch (step.operation) {
    case OperationKind::MutexTryLock:
    case OperationKind::SpinTryLock:
    case OperationKind::TryReadLock:
    case OperationKind::TryWriteLock:
    case OperationKind::MutexLock:
    case OperationKind::SpinLock:
    case OperationKind::ReadLock:
    case OperationKind::WriteLock:
      return step.result == 0;
    case OperationKind::MutexReacquire:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<ObjectId> held_locks(const Execution& execution, TaskId task, std::uint32_t steps) {
  std::vector<ObjectId> result;
  for (std::size_t i = 0; i < std::min<std::size_t>(steps, execution.steps.size()); ++i) {
    const StepRecord& step = execution.steps[i];
    if (step.task != task) continue;
    ObjectId released = kNoObject;
    if (takes(step)) result.push_back(step.object);
    if (step.operation == OperationKind::MutexUnlock || step.operation == OperationKind::SpinUnlock ||
        step.operation == OperationKind::RwUnlock)
      released = step.object;
    if (step.operation == OperationKind::ConditionWait) released = step.object2;
    const auto last = std::find(result.rbegin(), result.rend(), released);
    if (released != kNoObject && last != result.rend()) result.erase(std::next(last).base());
  }
  return result;
}

}  // namespace heddle
