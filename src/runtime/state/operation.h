// How interceptors and system calls build an operation, and what they return for its result.
#pragma once

#include <errno.h>

#include "runtime/state/runtime.h"

namespace heddle::runtime {

inline model::Operation operation(OperationKind kind, ObjectId object, Site site) {
  model::Operation made;
  made.kind = kind;
  made.object = object;
  made.site = site;
  return made;
}

inline int perform(OperationKind kind, ObjectId object, Site site, Nanoseconds deadline = kNoDeadline,
                   std::uint8_t interruptible = 0) {
  model::Operation& draft = draft_operation();
  draft.kind = kind;
  draft.object = object;
  draft.deadline = deadline;
  draft.site = site;
  draft.interruptible = interruptible;
  return perform_draft();
}

// What may end a wait: as Linux has it, SA_RESTART makes a call again only if it has no timeout.
inline constexpr std::uint8_t kCancellable = model::Interrupt::Cancel;
inline constexpr std::uint8_t kEndedBySignals = model::Interrupt::Signal | model::Interrupt::Cancel;
inline std::uint8_t restarted_by_signals(Nanoseconds deadline) {
  return deadline == kNoDeadline ? kEndedBySignals | model::Interrupt::Restart : kEndedBySignals;
}

// For functions that report through errno: 0, or -1 with errno set.
inline int through_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// The same for what a system call returns: a value, or -errno.
inline long as_libc_returns(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace heddle::runtime
