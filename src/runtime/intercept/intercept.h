// What the interceptors share. An interceptor translates and nothing else: arguments -> Operation -> perform() ->
// return value.
//
// To add one: its libc function in real.def; a function in the file of its family, HEDDLE_EXPORT, which begins with
// `if (!controlled()) return real::…`; its name in tools/exported_symbols.txt; its line in api.def. A new kind of
// operation: see operations.def.
#pragma once

#include "runtime/os/real.h"
#include "runtime/state/objects.h"
#include "runtime/state/operation.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/clock.h"

namespace heddle::runtime {

// libc looks at it before anything else, and crashes if it can't.
template <typename T>
void read_as_libc_does(const T* field) {
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the crash is what the caller gets natively.
  static_cast<void>(*static_cast<const volatile T*>(field));
}

}  // namespace heddle::runtime
