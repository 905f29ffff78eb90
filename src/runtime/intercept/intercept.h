// What the interceptors share. An interceptor translates and nothing else: arguments -> Operation -> perform() ->
// return value.
//
// To add one: its libc function in real.def; a function in the file of its family, HEDDLE_EXPORT, which begins with
// `if (!controlled()) return real::…`; its name in tools/exported_symbols.txt; its line in api.def. A new kind of
// operation: see operations.def.
#pragma once

#include <errno.h>

#include "runtime/os/real.h"
#include "runtime/state/objects.h"
#include "runtime/state/runtime.h"
#include "runtime/world/clock.h"

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

// libc looks at it before anything else, and crashes if it can't.
template <typename T>
void read_as_libc_does(const T* field) {
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the crash is what the caller gets natively.
  static_cast<void>(*static_cast<const volatile T*>(field));
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

// Ends the execution without a verdict: the program used something that the model does not have.
// `function` begins with the name of its line in docs/API.md; `site`: where it was called, where that is known.
[[noreturn]] void not_modelled(const char* function, Site site = 0);

}  // namespace heddle::runtime
