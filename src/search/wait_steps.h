// What the record of a step says about the wait that the step may be part of. For partial-order reduction (races.h).
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
  return ends_by_timeout(step) || step.operation == OperationKind::Sleep || step.result == ETIMEDOUT;
}

// A wait with a deadline goes on like a try: with its object where that is open, and otherwise without. The order of
// the steps decides which of the two happens, and whether its time is over. So all of these are one choice (going_on()
// in model/choices.h).
inline Choice choice_of(const StepRecord& step) {
  return {step.task, ended_by_deadline(step) ? Variant{0} : step.variant};
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

// Operations that are there only once another task has let them go on.
inline bool waits_to_be_released(OperationKind kind) {
  return kind == OperationKind::ConditionWake || kind == OperationKind::FutexWoken ||
         kind == OperationKind::BarrierLeave;
}

// Operations that wait for what no object shows: the kernel, a signal, a timer, another process.
inline bool waits_for_the_unseen(OperationKind kind) {
  switch (object_kind(kind)) {
    case ObjectKind::Descriptor:
      return true;
    case ObjectKind::Thread:
      return kind > OperationKind::ThreadExit;
    default:
      return kind == OperationKind::ProcessWait;
  }
}

// May a deadline end it?
inline bool has_deadline(OperationKind kind, std::uint8_t marks) {
  return (marks & StepMarks::Timed) != 0 && (waits_until_open(kind) || waits_to_be_released(kind));
}

// Operations that change their object if it is open, and otherwise leave it as it is. (A condition variable is open
// while somebody waits.)
inline bool tries(OperationKind kind) {
  switch (kind) {
    case OperationKind::ThreadTryJoin:
    case OperationKind::MutexTryLock:
    case OperationKind::ConditionSignal:
    case OperationKind::ConditionBroadcast:
    case OperationKind::TryReadLock:
    case OperationKind::TryWriteLock:
    case OperationKind::SemaphoreTryWait:
    case OperationKind::SpinTryLock:
      return true;
    default:
      return false;
  }
}

// Of StepMarks: what says that such an operation finds its object open.
inline std::uint8_t mark_needed(OperationKind kind) {
  const bool shared = kind == OperationKind::ReadLock || kind == OperationKind::TryReadLock;
  return shared ? StepMarks::OpenShared : StepMarks::OpenExclusive;
}

}  // namespace heddle
