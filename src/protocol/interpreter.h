// The lock of an interpreter (runtime/intercept/interpreter.h), by which reports know it.
#pragma once

namespace heddle {

inline constexpr const char* kInterpreterLock = "the interpreter's lock";

}  // namespace heddle
