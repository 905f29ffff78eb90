// What the record of a step says of the wait that it may be part of. For partial-order reduction (races.h).
#pragma once

#include <cerrno>

#include "protocol/dependence.h"
#include "protocol/records.h"

namespace heddle {

inline bool changes(const StepRecord& step) {
  return (step.flags & StepFlags::Wrote) != 0 && !is_failed_try(step.operation, step.result);
}

inline bool ended_by_deadline(const StepRecord& step) {
  if (object_kind(step.operation) == ObjectKind::Memory) return false;  // its result is a value
  if (step.operation == OperationKind::MutexReacquire) return false;    // its result is that of the wait before it
  if (step.operation == OperationKind::ConditionWake) return step.variant != kSpurious;
  return step.variant == kTimeout || step.operation == OperationKind::Sleep || step.result == ETIMEDOUT;
}

// Whether the time of a wait is over depends on where it stands in the order, so an end by deadline has one name: that
// of a timeout. The target takes it for the ordinary choice that it is where the time is over (World::normal()).
inline Choice choice_of(const StepRecord& step) {
  return {step.task, ended_by_deadline(step) ? kTimeout : step.variant};
}

// Operations that wait until their object is open.
inline bool waits_until_open(OperationKind kind) {
  switch (kind) {
    case OperationKind::MutexLock:
    case OperationKind::MutexReacquire:
    case OperationKind::ReadLock:
    case OperationKind::WriteLock:
    case OperationKind::SemaphoreWait:
    case OperationKind::SpinLock:
    case OperationKind::OnceBegin:
    case OperationKind::ThreadJoin:
      return true;
    default:
      return false;
  }
}

// Units of an object that a step took that was successful; negative: gave back.
inline int units_taken_by(const StepRecord& made, ObjectId object) {
  switch (made.operation) {
    case OperationKind::MutexLock:
    case OperationKind::MutexTryLock:
    case OperationKind::MutexReacquire:
    case OperationKind::ReadLock:
    case OperationKind::TryReadLock:
    case OperationKind::WriteLock:
    case OperationKind::TryWriteLock:
    case OperationKind::SemaphoreWait:
    case OperationKind::SemaphoreTryWait:
      return 1;
    case OperationKind::ConditionWait:
      return object == made.object2 ? -1 : 0;
    case OperationKind::MutexUnlock:
    case OperationKind::RwUnlock:
    case OperationKind::SemaphorePost:
      return -1;
    default:
      return 0;
  }
}

// Of StepMarks: what says that such an operation finds its object open.
inline std::uint8_t mark_needed(OperationKind kind) {
  return kind == OperationKind::ReadLock ? StepMarks::OpenShared : StepMarks::OpenExclusive;
}

// Operations that are there only once another task has let them go on.
inline bool waits_to_be_released(OperationKind kind) {
  return kind == OperationKind::ConditionWake || kind == OperationKind::FutexWoken ||
         kind == OperationKind::BarrierLeave;
}

}  // namespace heddle
