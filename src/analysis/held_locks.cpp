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

void HeldLocks::add(const StepRecord& step) {
  const bool takes = takes_lock(step);
  const ObjectId released = released_lock(step);
  if (!takes && released == kNoObject) return;
  std::vector<ObjectId>& locks = held_[step.task];
  // A writer that had to queue takes two steps for one lock.
  const bool again =
      step.operation == OperationKind::WriteLock && std::find(locks.begin(), locks.end(), step.object) != locks.end();
  if (takes && !again) locks.push_back(step.object);
  const auto last = std::find(locks.rbegin(), locks.rend(), released);
  if (released != kNoObject && last != locks.rend()) locks.erase(std::next(last).base());
}

const std::vector<ObjectId>& HeldLocks::of(TaskId task) const {
  static const std::vector<ObjectId> kNone;
  const auto found = held_.find(task);
  return found == held_.end() ? kNone : found->second;
}

std::vector<ObjectId> held_locks(const Execution& execution, TaskId task, std::size_t steps) {
  HeldLocks all;
  for (std::size_t i = 0; i < std::min(steps, execution.steps.size()); ++i)
    if (execution.steps[i].task == task) all.add(execution.steps[i]);
  return all.of(task);
}

}  // namespace heddle
