// HEDDLE_ASSERT(condition, "what must be true"): what holds unless Heddle itself is wrong: preconditions,
// postconditions, and what a comment calls "always" or "never". On in every build, on both sides. What comes from a
// program, the other side or a file is input: it is checked, never asserted.
//
// In the driver and in unit tests a failure is an exception (trace/assert.h). In the target the runtime sends text and
// place to the driver and ends the worker (runtime/state/assert.cpp); the driver then fails in the same way.
#pragma once

namespace heddle {

// What a message shows of a path that the compiler has named: from the last "src/" on.
constexpr const char* within_sources(const char* path) {
  const char* result = path;
  for (const char* at = path; *at != '\0'; ++at)
    if (at[0] == '/' && at[1] == 's' && at[2] == 'r' && at[3] == 'c' && at[4] == '/') result = at + 1;
  return result;
}

// `file` as the compiler names it.
[[noreturn, gnu::cold]] void fail_assertion(const char* what, const char* condition, const char* file, int line);

}  // namespace heddle

#define HEDDLE_ASSERT(condition, what)                                      \
  (__builtin_expect(static_cast<bool>(condition), 1) ? static_cast<void>(0) \
                                                     : ::heddle::fail_assertion(what, #condition, __FILE__, __LINE__))
